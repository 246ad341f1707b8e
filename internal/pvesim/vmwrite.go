package pvesim

import (
	"maps"
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// vmUpdate is one request that changes the configuration of a VM
// (PVE::API2::Qemu, update_vm).
type vmUpdate struct {
	*call
	guest    *Guest
	file     *vmFile
	settings map[string]string
	deletes  []string
	reverts  []string
	modified map[string]bool
}

// updateVM serves PUT …/config: all of it is done when the answer comes.
func (c *call) updateVM() (any, error) {
	update, err := c.vmUpdate()
	if err != nil {
		return nil, err
	}
	return nil, update.run()
}

// updateVMLater serves POST …/config: the answer names a task, and what comes of
// it stands in its state. With background_delay the task is waited for.
func (c *call) updateVMLater() (any, error) {
	update, err := c.vmUpdate()
	if err != nil {
		return nil, err
	}
	err = update.run()
	_, wait := c.params["background_delay"]
	switch {
	case !wait:
		return c.server.addTask(c, "qmconfig", c.params["vmid"], err), nil
	case err != nil:
		return nil, failure("failed to update VM %s: %v", c.params["vmid"], err)
	default:
		return nil, nil //nolint:nilnil // the answer of PVE is null
	}
}

// vmUpdate takes the request apart and checks what PVE checks before it locks
// the file.
func (c *call) vmUpdate() (*vmUpdate, error) {
	u := &vmUpdate{call: c, settings: map[string]string{}, modified: map[string]bool{}}
	for key, value := range c.params {
		if !isUpdateOption(key) {
			u.settings[key] = value
		}
	}
	u.deletes, u.reverts = splitList(c.params["delete"]), splitList(c.params["revert"])
	if c.flag("skiplock", false) && c.subject != rootUser {
		return nil, badParams(map[string]string{"skiplock": "Only root may use this option."})
	}
	if len(u.settings)+len(u.deletes)+len(u.reverts) == 0 {
		return nil, failure("no options specified")
	}
	if err := u.checkLists(); err != nil {
		return nil, err
	}
	for _, keys := range [][]string{u.deletes, slices.Sorted(maps.Keys(u.settings))} {
		if err := u.mayChange(keys); err != nil {
			return nil, err
		}
	}
	if err := u.load(); err != nil {
		return nil, err
	}
	return u, nil
}

// isUpdateOption tells what is said about the request from the settings.
func isUpdateOption(key string) bool {
	switch key {
	case "node", "vmid", "digest", "skiplock", "delete", "revert", "force", "background_delay":
		return true
	default:
		return false
	}
}

// checkLists refuses keys that are unknown or named twice.
func (u *vmUpdate) checkLists() error {
	for _, key := range u.reverts {
		if !knownVMKey(key) {
			return badParams(map[string]string{"revert": "unknown option '" + key + "'"})
		}
		if _, set := u.settings[key]; set {
			return badParams(map[string]string{"delete": "you can't use '-" + key + "' and -revert " + key + "' at the same time"})
		}
	}
	for _, key := range u.deletes {
		if _, set := u.settings[key]; set {
			return badParams(map[string]string{"delete": "you can't use '-" + key + "' and -delete " + key + "' at the same time"})
		}
		if slices.Contains(u.reverts, key) {
			return badParams(map[string]string{
				"revert": "you can't use '-delete " + key + "' and -revert " + key + "' at the same time",
			})
		}
		if !knownVMKey(key) {
			return badParams(map[string]string{"delete": "unknown option '" + key + "'"})
		}
	}
	return nil
}

// load reads the file and checks digest and lock. What is to be reverted becomes
// a setting to the current value, or the removal of a value that only waits.
func (u *vmUpdate) load() error {
	guest, _, err := u.vm()
	if err != nil {
		return err
	}
	if digest := u.params["digest"]; digest != "" && digest != pve.Digest(guest.Config) {
		return failure("checksum mismatch (file change by other user?)")
	}
	u.guest, u.file = guest, parseVMFile(u.readable(guest.Config))
	if lock := u.file.main["lock"]; lock != "" && !u.flag("skiplock", false) {
		return failure("VM is locked (%s)", lock)
	}
	for _, key := range u.reverts {
		if current, ok := u.file.main[key]; ok {
			u.settings[key] = current
		} else if _, waits := u.file.pending[key]; waits {
			u.deletes = append(u.deletes, key)
		}
	}
	return nil
}

// run carries the request out, key after key. Each is written by itself, so that
// after a refusal those before it wait in the file, also of a stopped VM.
func (u *vmUpdate) run() error {
	for _, key := range u.deletes {
		if err := u.remove(key); err != nil {
			return err
		}
	}
	for _, key := range shuffle(u.call, slices.Sorted(maps.Keys(u.settings))) {
		if err := u.set(key, u.settings[key]); err != nil {
			return err
		}
	}
	if u.file.tidy() {
		u.save()
	}
	switch {
	case !u.file.isPending():
		return nil
	case u.guest.Running:
		u.file.hotplug(u.modified)
	default:
		u.file.applyPending()
	}
	u.save()
	return nil
}

// save writes the file.
func (u *vmUpdate) save() {
	u.guest = u.write().guest(u.guest.VMID)
	u.guest.Config = u.file.String()
}

func (u *vmUpdate) remove(key string) error {
	value, ok := u.file.main[key]
	if !ok {
		value, ok = u.file.pending[key]
	}
	if !ok {
		u.warnings = append(u.warnings, "cannot delete '"+key+"' - not set in current configuration!")
		return nil
	}
	if err := u.mayHold(key, value); err != nil {
		return err
	}
	delete(u.file.pending, key)
	u.modified[key] = true
	u.leaveBootOrder(key)
	if key == "tags" {
		delete(u.file.main, key)
	} else {
		u.file.deletions[key] = u.flag("force", false)
	}
	u.save()
	return nil
}

// leaveBootOrder takes a device that goes out of the boot order.
func (u *vmUpdate) leaveBootOrder(key string) {
	order, ok := strings.CutPrefix(u.file.main["boot"], "order=")
	devices := splitList(order)
	if !ok || !slices.Contains(devices, key) {
		return
	}
	left := slices.DeleteFunc(devices, func(device string) bool { return device == key })
	u.file.pending["boot"] = "order=" + strings.Join(left, ";")
	u.modified["boot"] = true
}

func (u *vmUpdate) set(key, value string) error {
	u.modified[key] = true
	if pending, ok := u.file.pending[key]; ok && pending == value {
		return nil // nothing changes, and nobody asks who may
	}
	if current := u.file.main[key]; current != "" {
		if err := u.mayHold(key, current); err != nil {
			return err
		}
	}
	if err := u.mayHold(key, value); err != nil {
		return err
	}
	if hasLineFeed(value) && key != "description" {
		return failure("unable to parse value of '%s' - property contains a line feed", key)
	}
	if key == "tags" {
		value = uniqueTags(value)
	}
	u.file.pending[key] = value
	delete(u.file.deletions, key)
	u.save()
	return nil
}

// uniqueTags mirrors PVE::GuestHelpers::get_unique_tags with the usual style.
func uniqueTags(value string) string {
	tags := splitList(strings.ToLower(value))
	slices.Sort(tags)
	return strings.Join(slices.Compact(tags), ";")
}

func hasLineFeed(text string) bool { return strings.ContainsAny(text, "\r\n") }
