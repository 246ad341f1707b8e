package hostfs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

func TestReduce(t *testing.T) {
	got := reduce(`#description
args: -device vfio-pci,host=01:00.0
boot: order=scsi0
hookscript: local:snippets/hook.pl
hostpci0: 0000:01:00.0,pcie=1
hostpci0: 0000:02:00.0
hostpci1: 0000:03:00.0,bogus=1
hostpci16: 0000:04:00.0
memory: 8192
name: one
name: two
net0: virtio=AA,bridge=vmbr0
net0: virtio=BB,bridge=vmbr0
nonsense
scsi0: local-lvm:vm-100-disk-0
tags: a;b
[PENDING]
delete: hostpci0,net0
hostpci2: mapping=gpu
hostpci3: 01:00.0,
hostpci4 01:00.0
[before]
hostpci0: 05:00
hostpci1: BAD
parent: first
[special:cloudinit]
hostpci0: 06:00
[not a section]
hostpci0: 07:00
`)
	want := facts.VMConfig{
		Digest: got.Digest,
		Items: []pve.Item{
			{Key: "hostpci0", Current: new("0000:02:00.0"), Delete: pve.Remove},
			{Key: "hostpci2", Pending: new("mapping=gpu")},
			{Key: "hostpci3", Pending: new("01:00.0,")},
			{Key: "memory", Current: new("8192")},
			{Key: "name", Current: new("two")},
			{Key: "tags", Current: new("a;b")},
		},
		HasDisk: true,
		Args:    facts.Phases{Current: true, MentionsVFIO: true},
		Hook:    facts.Phases{Current: true},
		Dropped: []pve.DroppedLine{
			{Line: 7, Key: "hostpci1", Text: "0000:03:00.0,bogus=1"},
			{Line: 8, Key: "hostpci16", Text: "0000:04:00.0"},
			{Line: 14, Reason: "line not accepted"},
			{Line: 21, Section: "pending", Key: "hostpci4", Text: ""},
			{Line: 24, Section: "before", Key: "hostpci1", Text: "BAD"},
			{Line: 27, Section: "special:cloudinit", Key: "hostpci0", Text: "06:00"},
			{Line: 29, Section: "not a section", Key: "hostpci0", Text: "07:00"},
		},
		Repeated: []pve.RepeatedKey{{Line: 6, Key: "hostpci0"}, {Line: 11, Key: "name"}},
		Snapshots: facts.Read[[]facts.VMSnapshot]{State: facts.OK, Value: []facts.VMSnapshot{
			{Name: "before", HostPCI: []pve.KeyValue{{Key: "hostpci0", Value: "05:00"}}},
		}},
	}
	for i := range got.Dropped {
		if got.Dropped[i].Reason == "" {
			t.Errorf("line %d has no reason", got.Dropped[i].Line)
		}
		if i < len(want.Dropped) && want.Dropped[i].Key != "" {
			want.Dropped[i].Reason = got.Dropped[i].Reason
			if strings.HasPrefix(got.Dropped[i].Key, "hostpci4") {
				want.Dropped[i].Text = got.Dropped[i].Text
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Digest == "" || len(reduce("").Items) != 0 {
		t.Error("no digest, or items of nothing")
	}
}

// TestReduceMany: what a file of anything else would list is bounded, but each
// line about hostpci is kept.
func TestReduceMany(t *testing.T) {
	config := reduce(strings.Repeat("junk\nhostpci99: 01:00.0\n", 1000))
	junk := 0
	for _, line := range config.Dropped {
		if line.Key == "" {
			junk++
		}
	}
	if repeated := reduce(strings.Repeat("name: x\n", 5000)).Repeated; len(repeated) != maxRepeated {
		t.Errorf("%d repeated keys", len(repeated))
	}
	if junk != maxDropped || len(config.Dropped) != maxDropped+1000 {
		t.Errorf("%d of %d", junk, len(config.Dropped))
	}
}

// TestVMFiles reads VM files of every bad kind: the guest stays in the list, its
// read says what is wrong, and the others are read.
func TestVMFiles(t *testing.T) {
	folder := "etc/pve/nodes/pve-a/qemu-server/"
	root := node().add(map[string]string{
		folder + "101.conf": "",
		folder + "102.conf": "name: dos\r\nhostpci0: 01:00.0\r\ntags: x\r\n",
		folder + "103.conf": "name: nul\x00\nhostpci0: 01:00.0\x00\nmemory: 1024\n",
		folder + "104.conf": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\xff\xfe\n\x80", 2000),
		folder + "105.conf": "ostype: \xff\xfe\nhostpci0: 01:00.0,romfile=\xe4.rom\nhostpci1: \xff\nmachine: q35\n",
		folder + "106.conf": "name: no-newline\nhostpci0: 01:00.0",
		folder + "107.conf": "[PENDING]\ndelete: " + strings.Repeat("abcdefg,", 10_000) + "\n",
		folder + "108.conf": strings.Repeat("[section]\n", 10_000),
	}).link(folder+"109.conf", "109.conf").link(folder+"110.conf", "/etc/passwd").
		link(folder+"111.conf", "gone").link(folder+"112.conf", "100.conf").
		link(folder+"113.conf", "../../pve-b/qemu-server/200.conf").write(t)
	in := func(vmid int) string { return filepath.Join(root, folder, fileName(vmid)) }
	if err := os.Mkdir(in(114), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in(115), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in(116), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(in(116), 2<<30); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in(117), []byte("name: full\n"+strings.Repeat("#\n", (1<<20-11)/2)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	snapshot := mustRead(t, root, faulty(map[string]error{folder + "100.conf": syscall.EACCES}))
	checkJSON(t, snapshot)
	want := map[int]string{
		100: facts.ProblemPermission, 101: "", 102: "dos", 103: "", 104: "", 105: "", 106: "no-newline",
		107: "", 108: "", 109: facts.ProblemMalformed,
		110: facts.ProblemOutside, 111: facts.ProblemVanished, 112: "one", 113: "two",
		114: facts.ProblemMalformed, 115: facts.ProblemMalformed, 116: facts.ProblemTooLarge, 117: "full",
	}
	names := map[int]string{}
	for _, guest := range snapshot.Guests.Value {
		if guest.Kind == facts.QEMU && guest.Node == "pve-a" {
			names[guest.VMID] = guest.Name
		}
	}
	if len(names) != len(want) || len(snapshot.Nodes["pve-a"].VMs) != len(want) {
		t.Errorf("%d guests and %d configs, want %d", len(names), len(snapshot.Nodes["pve-a"].VMs), len(want))
	}
	for vmid, outcome := range want {
		read := snapshot.Nodes["pve-a"].VMs[vmid]
		got := names[vmid]
		if read.State == facts.Failed {
			got = read.Problems[0].Code
			if subject := read.Problems[0].Subject; subject != folder+fileName(vmid) {
				t.Errorf("VM %d: subject %q", vmid, subject)
			}
		}
		if got != outcome {
			t.Errorf("VM %d: %q, want %q: %+v", vmid, got, outcome, read.Problems)
		}
	}
	if dos := snapshot.Nodes["pve-a"].VMs[102].Value; dos.Current("hostpci0") != "01:00.0" {
		t.Errorf("with CRLF: %+v", dos.Items)
	}
	if mended := snapshot.Nodes["pve-a"].VMs[105].Value; mended.Current("hostpci0") != "01:00.0,romfile=\uFFFD.rom" || mended.Current("machine") != "q35" {
		t.Errorf("without UTF-8: %+v", mended.Items)
	}
	if snapshot.Guests.State != facts.OK {
		t.Errorf("guests: %+v", snapshot.Guests.Problems)
	}
}

// TestElaborateFile: files of the largest size that is read, made to be as much
// work as they can be, are read like others.
func TestElaborateFile(t *testing.T) {
	const size = 1 << 20
	var deletions, sections strings.Builder
	deletions.WriteString("hostpci0: 01:00.0\n[PENDING]\ndelete: ")
	for i := 0; deletions.Len() < size-8; i++ {
		fmt.Fprintf(&deletions, "%x,", i)
	}
	sections.WriteString("hostpci0: 01:00.0\n")
	for i := 0; sections.Len() < size-8; i++ {
		fmt.Fprintf(&sections, "[a%x]\n", i)
	}
	for name, text := range map[string]string{"deletions": deletions.String(), "sections": sections.String()} {
		if config := reduce(text); config.Current("hostpci0") != "01:00.0" {
			t.Errorf("%s: %+v", name, config.Items)
		}
	}
}

// canaries are secrets that must not leave the process.
var canaries = []string{
	"CANARY-args", "CANARY-hook", "CANARY-password", "CANARY-keys", "CANARY-description", "CANARY-broken",
	"CANARY-section", "CANARY-user", "CANARY-comment", "CANARY-deleted", "CANARY-cmdline", "CANARY-cloudinit",
	"CANARY-host", "CANARY-members", "CANARY-list", "CANARY-serial",
}

const secrets = `args: -device vfio-pci,host=01:00.0 -vnc password=CANARY-args
hookscript: local:snippets/CANARY-hook.pl
cipassword: CANARY-password
ciuser: CANARY-user
sshkeys: ssh-rsa%20CANARY-keys
description: CANARY-description
#CANARY-comment
smbios1: serial=CANARY-serial
args -CANARY-broken
args : CANARY-broken
 cipassword: CANARY-broken
hookscript: CANARY-broken/x y
memory: CANARY-broken
cpu: host,CANARY-broken=1
CANARY-broken: x
vga: CANARY-broken,memory=x
`

// TestSecrets plants secrets wherever a tree can hold them and looks for them in
// everything that comes out.
func TestSecrets(t *testing.T) {
	vm := "name: one\nhostpci0: 01:00.0\n" + secrets + "[PENDING]\n" + secrets + "delete: CANARY-deleted\n[snap]\n" + secrets +
		"[special:cloudinit]\ncipassword: CANARY-cloudinit\n[CANARY section]\nname: CANARY-section\n"
	folder := "etc/pve/nodes/pve-a/qemu-server/"
	root := node().add(map[string]string{
		folder + "100.conf": vm,
		folder + "101.conf": strings.ReplaceAll(vm, "\n", "\r\n"),
		folder + "102.conf": vm + strings.Repeat("#", 1<<20),
		folder + "103.conf": strings.ReplaceAll(vm, ":", "\xff"),
		folder + "104.conf": strings.Repeat("[x]\nargs: CANARY-args\n", 10_000),

		"etc/pve/nodes/pve-b/lxc/300.conf": "hostname: CANARY-args\n" + vm,
		"proc/cmdline":                     "root=CANARY-cmdline intel_iommu=on rd.luks.key=CANARY-cmdline quiet",
		"run/qemu-server/100.pid":          "CANARY-host",

		hostnameFile: "CANARY-host is not a name\n",
		membersFile:  `{"nodename":"CANARY-members!","nodelist":{"CANARY-members!":{}}}`,
		vmListFile:   `{"ids":{"CANARY-list":{}}}`,

		devicesFolder + "/0000:02:00.0/vendor": "CANARY-host",
	}).write(t)
	snapshot := mustRead(t, root)
	if len(snapshot.Nodes["pve-a"].VMs) != 5 {
		t.Fatalf("%v", guestList(snapshot))
	}
	if args := snapshot.Nodes["pve-a"].VMs[100].Value.Args; !args.Current || !args.Pending || !args.MentionsVFIO {
		t.Errorf("args: %+v", args)
	}
	data, err := json.MarshalIndent(snapshot, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	outputs := map[string]string{"JSON": string(data), "%+v": fmt.Sprintf("%+v", snapshot), "%#v": fmt.Sprintf("%#v", snapshot)}
	for _, node := range snapshot.Nodes {
		outputs["nodes"] += fmt.Sprintf("%+v", *node)
	}
	for what, output := range outputs {
		for _, canary := range append(canaries, "CANARY") {
			if at := strings.Index(output, canary); at >= 0 {
				t.Errorf("%s holds %s: …%s…", what, canary, output[max(0, at-100):at+40])
			}
		}
	}
}

// FuzzReduce looks for a secret that stands where secrets stand, between any two
// texts.
func FuzzReduce(f *testing.F) {
	f.Add("name: x\n", "args", "[PENDING]\nhostpci0: 01:00\n")
	f.Add("[snap]\n", "cipassword", "")
	f.Add("[PENDING]\r\n", "hookscript", "\xff\x00")
	f.Add("hostpci0: x", "sshkeys", "delete: a")
	f.Add("description", "description", "#")
	f.Fuzz(func(t *testing.T, before, key, after string) {
		const secret = "CANARY7193"
		switch key {
		case "args", "cipassword", "hookscript", "sshkeys", "description", "#":
		default:
			return
		}
		if strings.Contains(before+after, secret) {
			return
		}
		if key != "#" {
			key += ": "
		}
		config := reduce(before + "\n" + key + secret + "\n" + after)
		data, err := json.Marshal(config)
		if err != nil || strings.Contains(string(data), secret) || strings.Contains(fmt.Sprintf("%+v", config), secret) {
			t.Errorf("%v: %s", err, data)
		}
		var again facts.VMConfig
		if err := json.Unmarshal(data, &again); err != nil {
			t.Error(err)
		}
		if len(again.Items) != len(config.Items) || len(again.Dropped) != len(config.Dropped) {
			t.Errorf("%s", data)
		}
	})
}
