package hostfs

import (
	"os"
	"strconv"
	"syscall"
	"testing"

	"pciatlas/internal/facts"
)

func TestStatus(t *testing.T) {
	const file = "run/qemu-server/100.pid"
	base := node()
	delete(base.Files, file)
	run := base
	run.Dirs = append([]string{runFolder}, base.Dirs...)
	for name, c := range map[string]struct {
		tree  tree
		fault error
		want  facts.Status
	}{
		"pid":              {base.add(map[string]string{file: "4711\n"}), nil, facts.Running},
		"without newline":  {base.add(map[string]string{file: "4711"}), nil, facts.Running},
		"process":          {base.add(map[string]string{file: "4711\n", "proc/4711/stat": ""}), nil, facts.Running},
		"left over":        {base.add(map[string]string{file: "4711\n", "proc/4712/stat": ""}), nil, facts.Stopped},
		"proc without any": {base.add(map[string]string{file: "4711\n", "proc/cmdline": ""}), nil, facts.Running},
		"no number":        {base.add(map[string]string{file: "none\n"}), nil, facts.Stopped},
		"empty":            {base.add(map[string]string{file: ""}), nil, facts.Stopped},
		"negative":         {base.add(map[string]string{file: "-1\n"}), nil, facts.Stopped},
		"other VMs":        {base.add(map[string]string{runFolder + "/1000.pid": "1\n"}), nil, facts.Stopped},
		"none":             {run, nil, facts.Stopped},
		"not copied":       {base, nil, facts.UnknownStatus},
		"unreadable":       {base.add(map[string]string{file: "4711\n"}), syscall.EACCES, facts.UnknownStatus},
		"a link outside":   {run.link(file, "/etc/hostname"), nil, facts.UnknownStatus},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := mustRead(t, c.tree.write(t), faulty(map[string]error{file: c.fault}))
			if got := snapshot.Guests.Value[0].Status; got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			for _, guest := range snapshot.Guests.Value[1:] {
				if guest.Status != facts.UnknownStatus {
					t.Errorf("guest %d of another node is %v", guest.VMID, guest.Status)
				}
			}
		})
	}
}

func TestStatusOnLiveNode(t *testing.T) {
	top, err := openTop(t.Context(), "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer top.close()
	r := &reader{top: top, live: true, limits: Limits{}.orDefaults()}
	p := r.readPIDs()
	if !p.known || !p.processes {
		t.Errorf("%+v", p)
	}
	if there, err := top.there(procFolder + "/" + strconv.Itoa(os.Getpid())); !there || err != nil {
		t.Errorf("%v, %v", there, err)
	}
}

func FuzzParsePID(f *testing.F) {
	for _, text := range []string{"4711\n", "4711", "0", "-1", "+5", "1\n2", "99999999999", " 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if pid, ok := parsePID(text); ok && pid <= 0 {
			t.Errorf("%q is read as %d", text, pid)
		}
	})
}
