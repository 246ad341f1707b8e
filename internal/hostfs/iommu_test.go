package hostfs

import (
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
)

func TestIOMMU(t *testing.T) {
	base := tree{Dirs: []string{"sys/bus/pci/devices"}}
	for name, c := range map[string]struct {
		tree   tree
		faults map[string]error
		want   facts.IOMMU
		state  facts.ReadState
	}{
		"none":  {base, nil, facts.IOMMU{}, facts.OK},
		"empty": {tree{Dirs: []string{iommuFolder, "sys/bus/pci"}}, nil, facts.IOMMU{}, facts.OK},
		"on": {
			base.add(map[string]string{iommuFolder + "/dmar0/x": "", commandLineFile: "quiet intel_iommu=on iommu=pt\n"}), nil,
			facts.IOMMU{Present: true, CommandLine: []string{"intel_iommu=on", "iommu=pt"}},
			facts.OK,
		},
		"unreadable":   {base, map[string]error{iommuFolder: syscall.EACCES}, facts.IOMMU{}, facts.Failed},
		"command line": {base.add(map[string]string{iommuFolder + "/x": ""}), map[string]error{commandLineFile: syscall.EACCES}, facts.IOMMU{Present: true}, facts.Partial},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := mustRead(t, c.tree.write(t), faulty(c.faults))
			read := snapshot.Nodes[localOf(snapshot.Members.Value)].IOMMU
			if diff := cmp.Diff(c.want, read.Value); diff != "" || read.State != c.state {
				t.Error(read.State, diff)
			}
		})
	}
}

func TestParseCommandLine(t *testing.T) {
	line := `BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet intel_iommu=on amd-iommu=on iommu=pt pcie_acs_override=downstream,multifunction ` +
		`vfio-pci.ids=10de:2504 vfio_iommu_type1.allow_unsafe_interrupts=1 pci=nommconf pci-stub.ids=1:2 video=efifb:off kvm.ignore_msrs=1 ` +
		`initcall_blacklist=sysfb_init nomodeset rd.luks.key=SECRET dyndbg="file x iommu=SECRET +p" "iommu.strict=0" pcix=1 kvmx=SECRET -- iommu=SECRET`
	want := []string{
		"intel_iommu=on", "amd-iommu=on", "iommu=pt", "pcie_acs_override=downstream,multifunction", "vfio-pci.ids=10de:2504",
		"vfio_iommu_type1.allow_unsafe_interrupts=1", "pci=nommconf", "pci-stub.ids=1:2", "video=efifb:off", "kvm.ignore_msrs=1",
		"initcall_blacklist=sysfb_init", "nomodeset", `"iommu.strict=0"`,
	}
	if diff := cmp.Diff(want, parseCommandLine(line)); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseCommandLine(f *testing.F) {
	for _, text := range []string{"iommu=pt quiet", `a="b c" vfio`, "\xff iommu=\xff", "-- iommu"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range parseCommandLine(text) {
			if !keepsParameter(word) || len(word) > 3*len(text) {
				t.Errorf("%q", word)
			}
		}
	})
}
