package test

import (
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/pve"
)

// mustNotOfContainers are wrong conclusions about what containers use of the host.
var mustNotOfContainers = wrongConclusions{
	"FC-087": {
		{"report a conflict between containers", func(e *evidence) {
			e.none(e.all, worseThan(findings.Info))
			for _, vmid := range []int{201, 202} {
				e.container("node-a", vmid)
			}
		}},
		{"claim the address 0000:00:02.0 as certain when a node has more than one GPU", func(e *evidence) {
			// Not even with one GPU, as long as the node does not tell whose file it is.
			for _, f := range e.some(e.all, code(findings.ContainerUsesDevice), saying("0000:00:02.0")) {
				if !strings.Contains(f.Sentence, "may use") {
					e.Errorf("it is said for certain: %s", f.Sentence)
				}
			}
			for _, v := range e.on("node-a") {
				for _, c := range v.report.Node("node-a").ContainersOf(v.device(e.T, "node-a", "0000:00:02.0")) {
					if c.Certain {
						e.Errorf("%s: container %d is certain", v.way, c.VMID)
					}
				}
			}
		}},
	},
	"FC-089": {
		{"fail on * as a minor number", func(e *evidence) {
			e.container("node-a", 210)
			for _, v := range e.all {
				for _, issue := range v.report.Node("node-a").Issues {
					if issue.Code == atlas.IssueContainerUnreadable {
						e.Errorf("%s: %s", v.way, issue.Message)
					}
				}
				read := v.report.Facts.Nodes["node-a"].Containers[210]
				if !slices.ContainsFunc(read.Value.Devices, func(d pve.ContainerDevice) bool { return d.Numbers == "195:*" }) {
					e.Errorf("%s: the rule with * is lost: %+v", v.way, read.Value.Devices)
				}
			}
		}},
		{"claim that 226 is forbidden and so /dev/dri unused: the folder is bound, access may be allowed elsewhere", func(e *evidence) {
			for _, c := range e.container("node-a", 210) {
				if !slices.ContainsFunc(c.Uses, func(u atlas.ContainerUse) bool { return u.Path == "/dev/dri" && len(u.Devices) == 2 }) {
					e.Errorf("/dev/dri does not stand for both GPUs: %+v", c.Uses)
				}
			}
			e.some(e.all, code(findings.ContainerUsesDevice), saying("/dev/dri", "0000:00:02.0"))
		}},
		{"list nvidiactl as a card", func(e *evidence) {
			for _, c := range e.container("node-a", 210) {
				for _, use := range c.Uses {
					if strings.Contains(use.Path, "nvidiactl") {
						e.Errorf("nvidiactl is listed: %+v", use)
					}
				}
			}
			e.none(e.all, saying("nvidiactl"))
			e.some(e.all, code(findings.ContainerSharesDevice), saying("/dev/nvidia0", "0000:01:00.0", "VM 115"))
		}},
	},
	"FC-091": {
		{"count the container as a working user", func(e *evidence) {
			e.container("node-a", 230)
			e.none(e.all, code(findings.ContainerUsesDevice))
			e.wantUsers("node-a", "0000:00:02.0", atlas.Referenced, 117)
			e.some(e.all, code(findings.ContainerDeviceHeldByVM), saying("VM 117", "does not find"))
		}},
	},
}

// container gives a container in every view; it must be there.
func (e *evidence) container(node string, vmid int) []*atlas.Container {
	e.Helper()
	var found []*atlas.Container
	for _, v := range e.on(node) {
		list := v.report.Node(node).Containers
		i := slices.IndexFunc(list, func(c atlas.Container) bool { return c.VMID == vmid })
		if i < 0 {
			e.Fatalf("%s: container %d is not seen to use a GPU", v.way, vmid)
		}
		found = append(found, &list[i])
	}
	return found
}
