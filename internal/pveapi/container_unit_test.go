package pveapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

func TestContainerLines(t *testing.T) {
	t.Parallel()
	const answer = `{"cores":2,"hostname":"ct","dev0":"/dev/dri/card0,gid=44","template":1,
		"lxc":[["lxc.mount.entry","/dev/dri dev/dri none bind"],["lxc.environment","SECRET=x"],["lxc.cgroup2.devices.allow","c 226:0 rwm"]]}`
	lines, err := containerLines([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	want := facts.Container{Template: true, Devices: []pve.ContainerDevice{
		{Key: "dev0", Path: "/dev/dri/card0"},
		{Key: "lxc.cgroup2.devices.allow", Path: "/dev/dri/card0", Numbers: "226:0"},
		{Key: "lxc.mount.entry", Path: "/dev/dri"},
	}}
	if diff := cmp.Diff(want, facts.ReduceContainer(lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, wrong := range []string{`null`, `[]`, `"x"`, `{"lxc":"x"}`, `{"lxc":[["a"]]}`, `{"lxc":[{"a":1}]}`} {
		if _, err := containerLines([]byte(wrong)); err == nil {
			t.Errorf("%s is taken for a configuration", wrong)
		}
	}
}
