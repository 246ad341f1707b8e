package facts

import (
	"regexp"
	"slices"
	"strings"
)

// plainMounts are the names of uses of storage that every host can have,
// plainDisk is how the kernel names disks, plainFramebuffer its framebuffers.
var (
	plainMounts      = []string{"/", "/boot", "/boot/efi", UseSwap}
	plainDisk        = regexp.MustCompile(`^/dev/(sd[a-z]+|vd[a-z]+|nvme[0-9]+n[0-9]+p?|dm-|md|zd)[0-9]*(p[0-9]+)?$`)
	plainFramebuffer = regexp.MustCompile(`^fb\d+$`)
)

// uses replaces mount points, volumes and interfaces.
func (a *anonymiser) uses(uses []Use) {
	for i := range uses {
		use := &uses[i]
		switch use.Kind {
		case UseStorage:
			if !slices.Contains(plainMounts, use.Name) {
				use.Name = "/" + a.name("mount", use.Name)
			}
			if !plainDisk.MatchString(use.Through) {
				use.Through = "/dev/" + a.name("disk", use.Through)
			}
			if use.File != "proc/mounts" && use.File != "proc/swaps" {
				use.File = a.name("file", use.File)
			}
		case UseConsole:
			if !plainFramebuffer.MatchString(use.Name) {
				use.Name = a.name("framebuffer", use.Name)
			}
			use.Through, use.File = a.name("interface", use.Through), "sys/class/graphics/"+use.Name
		case UseNetwork:
			a.networkUse(use)
		default:
			use.Kind, use.Name, use.Through, use.File = "other", a.name("use", use.Name), "", ""
		}
	}
}

func (a *anonymiser) networkUse(use *Use) {
	upper := strings.Contains(use.File, "/upper_")
	bridge := strings.HasSuffix(use.File, "/brport/bridge")
	use.Name, use.Through = a.name("interface", use.Name), a.name("interface", use.Through)
	switch use.File = "sys/class/net/" + use.Through + "/"; {
	case upper:
		use.File += "upper_" + use.Name
	case bridge:
		use.File += "brport/bridge"
	default:
		use.File += "master"
	}
}
