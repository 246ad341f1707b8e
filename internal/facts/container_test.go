package facts_test

import (
	"strings"
	"testing"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// TestAnonymiseContainers: of a container nothing leaves but names of device files,
// whatever a snapshot file claims to be one.
func TestAnonymiseContainers(t *testing.T) {
	t.Parallel()
	container := facts.ReduceContainer(pve.ParseContainer("hostname: topsecret\ndev0: /dev/dri/card0\nlxc.cgroup2.devices.allow: c 226:0 rwm\n"))
	container.Devices = append(container.Devices,
		pve.ContainerDevice{Key: "dev1", Path: "/dev/topsecret"},
		pve.ContainerDevice{Key: "topsecret", Path: "/dev/kfd"},
		pve.ContainerDevice{Key: "lxc.cgroup2.devices.allow", Path: "/dev/dri/card0", Numbers: "226:0 topsecret"})
	node := &facts.Node{
		Containers: map[int]facts.Read[facts.Container]{201: {
			State: facts.OK, Value: container,
			Problems: []facts.Problem{{Code: facts.ProblemIO, Subject: "topsecret", Message: "topsecret failed"}},
		}},
		CardFiles: facts.Read[[]facts.CardFile]{State: facts.OK, Value: []facts.CardFile{{Path: "/dev/dri/topsecret"}, {Path: "/dev/dri/card0"}}},
	}
	hidden, err := facts.Anonymise(&facts.Snapshot{Schema: facts.Schema, Nodes: map[string]*facts.Node{"pve-a": node}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := facts.Encode(&hidden)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "topsecret") {
		t.Errorf("a name stays:\n%s", text)
	}
	kept := hidden.Nodes["node-1"]
	if len(kept.Containers[201].Value.Devices) != 2 || len(kept.CardFiles.Value) != 1 {
		t.Errorf("kept %+v and %+v, want two lines and one file", kept.Containers, kept.CardFiles)
	}
}
