package hostfs

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
)

const (
	mdevFolder   = "mdev_supported_types"
	nvidiaFolder = "nvidia"
)

// readMdev tells whether the function gives mediated devices, and of which types.
// Types that are there and not told wholly are noted: fewer types are not none.
// It mirrors PVE::SysFSTools lspci and get_mdev_types: the folder of types comes
// first, else the folder of NVIDIA's driver for kernel 6.8 and later.
func (d *deviceFolder) readMdev(device *facts.Device) {
	switch {
	case d.hasFolder(mdevFolder):
		device.Host.MdevTypes = d.mdevTypes()
	case d.hasFolder(nvidiaFolder):
		device.NvidiaVGPU = true
		device.Host.MdevTypes = parseVGPUTypes(d.nested(nvidiaFolder, "creatable_vgpu_types"))
	default:
		device.Mdev = facts.Told(false)
		return
	}
	device.Mdev = facts.Told(true)
}

func (d *deviceFolder) hasFolder(name string) bool {
	return d.has(name) && d.expect(name, fs.ModeDir) == nil
}

// nested gives the text of a file in a folder of the function, "" if it is not
// there. Any other failure is a problem.
func (d *deviceFolder) nested(folder, name string) string {
	text, err := d.read(path.Join(folder, name), d.limit)
	if err == nil {
		return keep(strings.TrimSpace(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		d.untold(path.Join(folder, name), err)
	}
	return ""
}

// untold notes that something of the types of mediated device could not be read.
func (d *deviceFolder) untold(name string, err error) {
	d.remark(name, err)
	d.untoldTypes = append(d.untoldTypes, problemOf(path.Join(d.path, name), err))
}

// maxMdevTypes is far more than any card offers.
const maxMdevTypes = 1000

// mdevTypes reads the folder mdev_supported_types.
func (d *deviceFolder) mdevTypes() []facts.MdevType {
	names, err := d.list(mdevFolder, maxMdevTypes)
	if err != nil {
		d.untold(mdevFolder, err)
	}
	var types []facts.MdevType
	for _, name := range names {
		if strings.HasPrefix(name, ".") || !showable(name) {
			continue
		}
		folder := path.Join(mdevFolder, name)
		available, err := strconv.Atoi(d.nested(folder, "available_instances"))
		types = append(types, facts.MdevType{
			Type: name, Name: d.nested(folder, "name"), Available: max(available, 0),
		})
		if err != nil {
			d.untold(path.Join(folder, "available_instances"), malformed("holds no number"))
		}
	}
	slices.SortFunc(types, func(a, b facts.MdevType) int { return strings.Compare(a.Type, b.Type) })
	return types
}

// parseVGPUTypes reads nvidia/creatable_vgpu_types: lines "ID : name" after a
// header that begins with ID. Each such type can be made at least once.
func parseVGPUTypes(text string) []facts.MdevType {
	var types []facts.MdevType
	for line := range strings.Lines(text) {
		id, name, found := strings.Cut(line, ":")
		id = strings.TrimSpace(id)
		if _, err := strconv.ParseUint(id, 10, 31); !found || err != nil {
			continue
		}
		types = append(types, facts.MdevType{Type: "nvidia-" + id, Name: keep(strings.TrimSpace(name)), Available: 1})
	}
	slices.SortFunc(types, func(a, b facts.MdevType) int { return strings.Compare(a.Type, b.Type) })
	return types
}
