package pvesim

import (
	"errors"
	"maps"
	"slices"

	"pciatlas/internal/pve"
)

// createMapping serves POST /cluster/mapping/pci.
func (c *call) createMapping() (any, error) {
	id := c.params["id"]
	section, err := c.mappingSection()
	if err != nil {
		return nil, err
	}
	return nil, c.writeMappings("create hardware mapping failed: ", func(f *mappingFile) error {
		if f.sections[id] != nil {
			return failure("pci ID '%s' already defined", id)
		}
		f.set(id, section)
		return nil
	})
}

// updateMapping serves PUT /cluster/mapping/pci/{id}. Of PVE's three writing
// requests it is the one that takes a digest, that of the whole file. The entries
// have to be given each time.
func (c *call) updateMapping() (any, error) {
	id := c.params["id"]
	return nil, c.writeMappings("update hardware mapping failed: ", func(f *mappingFile) error {
		if digest := c.params["digest"]; digest != "" && digest != pve.Digest(c.world.MappingCfg) {
			return failure("detected modified configuration - file changed by other user? Try again.")
		}
		if f.sections[id] == nil {
			return failure("pci ID '%s' does not exist", id)
		}
		section, err := c.mappingSection()
		if err != nil {
			return err
		}
		for _, key := range splitList(c.params["delete"]) {
			if err := deletable(key, section); err != nil {
				return err
			}
			f.sections[id] = maps.Clone(f.sections[id])
			delete(f.sections[id], key)
		}
		f.merge(id, section)
		return nil
	})
}

// deletable mirrors PVE::SectionConfig::delete_from_config.
func deletable(key string, section mappingSection) error {
	switch {
	case !slices.Contains(mappingProperties, key):
		return failure("no such option '%s'", key)
	case key == "map":
		return failure("unable to delete required option '%s'", key)
	case section[key] != nil:
		return failure("cannot set and delete property '%s' at the same time!", key)
	default:
		return nil
	}
}

// deleteMapping serves DELETE /cluster/mapping/pci/{id}: what is not there is
// deleted with success.
func (c *call) deleteMapping() (any, error) {
	return nil, c.writeMappings("delete pci mapping failed: ", func(f *mappingFile) error {
		f.remove(c.params["id"])
		return nil
	})
}

// writeMappings changes the file; a refusal gets the prefix and leaves it as it
// was.
func (c *call) writeMappings(prefix string, change func(*mappingFile) error) error {
	file := parseMappingSections(c.world.MappingCfg, c.release)
	err := change(file)
	text := ""
	if err == nil {
		var refused *apiError
		if text, refused = file.text(); refused != nil {
			err = refused
		}
	}
	if refused, ok := errors.AsType[*apiError](err); ok {
		refused.message = prefix + refused.message
		return refused
	}
	c.write().MappingCfg = text
	return err
}

// mappingSection gives the properties of the request.
func (c *call) mappingSection() (mappingSection, error) {
	if len(c.lists["map"]) == 0 {
		return nil, failure("missing value for required option 'map'")
	}
	section := mappingSection{"map": c.lists["map"]}
	for _, key := range mappingProperties[1:] {
		if value, given := c.params[key]; given {
			section[key] = []string{value}
		}
	}
	for _, values := range section {
		if slices.ContainsFunc(values, hasLineFeed) {
			return nil, failure("property contains a line feed")
		}
	}
	return section, nil
}
