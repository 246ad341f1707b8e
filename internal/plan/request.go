package plan

import (
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// The methods of requests.
const (
	methodCreate = "POST"
	methodChange = "PUT"
	methodDelete = "DELETE"
)

func createRequest(m *pve.Mapping) *Request {
	r := &Request{Method: methodCreate, Path: mappingsPath, Params: append([]Param{{"id", m.ID}}, mapParams(m)...)}
	if m.Description != nil {
		r.Params = append(r.Params, Param{"description", *m.Description})
	}
	if m.Mdev != nil {
		r.Params = append(r.Params, Param{"mdev", flag(*m.Mdev)})
	}
	if m.LiveMigration != nil {
		r.Params = append(r.Params, Param{"live-migration-capable", flag(*m.LiveMigration)})
	}
	return r
}

func mapParams(m *pve.Mapping) []Param {
	list := make([]Param, len(m.Entries))
	for i := range m.Entries {
		list[i] = Param{"map", m.Entries[i].String()}
	}
	return list
}

// changeRequest gives the request that makes after of before. Proxmox VE keeps what
// is not named; the entries it always takes as a whole.
func changeRequest(before, after *pve.Mapping) *Request {
	r := &Request{Method: methodChange, Path: mappingPath(after.ID), Params: mapParams(after)}
	var removed []string
	text := func(name string, from, to *string) {
		switch {
		case to == nil && from != nil:
			removed = append(removed, name)
		case to != nil && (from == nil || *from != *to):
			r.Params = append(r.Params, Param{name, *to})
		}
	}
	text("description", before.Description, after.Description)
	text("mdev", flagText(before.Mdev), flagText(after.Mdev))
	text("live-migration-capable", flagText(before.LiveMigration), flagText(after.LiveMigration))
	if removed != nil {
		r.Params = append(r.Params, Param{"delete", strings.Join(removed, ",")})
	}
	return r
}

func flagText(on *bool) *string {
	if on == nil {
		return nil
	}
	text := flag(*on)
	return &text
}

func deleteRequest(id string) *Request { return &Request{Method: methodDelete, Path: mappingPath(id)} }

// command gives the command of a shell that does the same as root of a node. A
// digest makes Proxmox VE refuse it once the file has changed.
func (r *Request) command(digest string) string {
	if vmid, ok := r.vm(); ok {
		return r.line("qm set "+vmid, digest)
	}
	return r.anywhere(digest)
}

// anywhere gives the command that works on every node of the cluster.
func (r *Request) anywhere(digest string) string {
	verb := map[string]string{methodCreate: "create", methodChange: "set", methodDelete: "delete"}[r.Method]
	return r.line("pvesh "+verb+" "+word(r.Path), digest)
}

func (r *Request) line(begin, digest string) string {
	words := []string{begin}
	if r.Method == methodChange && digest != "" {
		words = append(words, "--digest "+digest)
	}
	for _, p := range r.Params {
		words = append(words, "--"+p.Name+" "+word(p.Value))
	}
	if len(words) <= 2 || len(strings.Join(words, " ")) <= longestLine {
		return strings.Join(words, " ")
	}
	return strings.Join(words, " \\\n  ")
}

// longestLine is how long a command may be on one line.
const longestLine = 100

// vm tells whether the request is for the configuration of a VM.
func (r *Request) vm() (vmid string, ok bool) {
	rest, ok := strings.CutPrefix(r.Path, "/nodes/"+r.Node+"/qemu/")
	if r.Node == "" || !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "/config")
}

// word makes one word of a shell of a text.
func word(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./:@=,+%", r)
	})
	if plain {
		return s
	}
	return quoted(s)
}

// sameEntry compares what entries say, however they are written.
func sameEntry(a, b pve.Entry) bool { return slices.Equal(a.Options(), b.Options()) }

// sameDevices tells whether mappings give the same devices in the same way.
func sameDevices(a, b *pve.Mapping) bool {
	return a.HasMdev() == b.HasMdev() && isOn(a.LiveMigration) == isOn(b.LiveMigration) && slices.EqualFunc(a.Entries, b.Entries, sameEntry)
}

// SameMapping tells whether two mappings mean the same: entries in their order,
// description and flags. A flag that is off is the same as one that is not set.
func SameMapping(a, b *pve.Mapping) bool {
	return a.ID == b.ID && sameText(a.Description, b.Description) && sameDevices(a, b)
}

func sameText(a, b *string) bool {
	return (a == nil || *a == "") == (b == nil || *b == "") && (a == nil || b == nil || *a == *b)
}

func isOn(flag *bool) bool { return flag != nil && *flag }
