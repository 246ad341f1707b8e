package rights_test

import (
	"testing"

	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

const auditor = "user:u@pve:1:0::::::\ntoken:u@pve!t:0:0::\ngroup:g:u@pve::\n" +
	"role:R_all:Mapping.Audit,Sys.Audit,VM.Audit:\nrole:R_sys:Sys.Audit:\nrole:R_vm:VM.Audit:\n" +
	"role:R_use:Mapping.Use:\nrole:R_change:Mapping.Modify:\n"

// TestRule shows the corners of the two rules, for u@pve!t without privilege separation.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		name, cfg           string
		vms, vmFault        string
		mappings, mapsFault string
	}{
		{
			"the least role", "acl:1:/:u@pve:R_all:",
			"proven", "", "proven", "",
		},
		{
			"a rule of somebody else changes nothing", "acl:1:/:u@pve:R_all:\nacl:1:/vms/7:x@pve:NoAccess:\nacl:1:/mapping/pci/a:x@pve:NoAccess:",
			"proven", "", "proven", "",
		},
		{
			"a VM's own rule need not propagate", "acl:1:/:u@pve:R_all:\nacl:0:/vms/7:u@pve:R_vm:",
			"proven", "", "proven", "",
		},
		{
			"another role in the place of VM.Audit", "acl:1:/:u@pve:R_all:\nacl:1:/vms:u@pve:R_sys:",
			"unproven", "/vms", "proven", "",
		},
		{
			"no VM of any pool", "acl:1:/:u@pve:R_all:\nacl:1:/pool:u@pve:NoAccess:\npool:p::7::",
			"unproven", "/pool", "proven", "",
		},
		{
			"the pool before its VMs", "acl:1:/:u@pve:R_all:\nacl:1:/pool/p:u@pve:NoAccess:\nacl:1:/vms/7:x@pve:R_vm:\npool:p::7::",
			"unproven", "/pool/p", "proven", "",
		},
		{
			// /pool/p/q is in no rule, so PVE lists it nowhere: only the flag of /pool/p
			// shows that it gets the NoAccess of the group, and VM 7 with it.
			"a rule that does not propagate uncovers the group's in a nested pool",
			"acl:1:/:u@pve:R_all:\nacl:0:/pool/p:u@pve:R_vm:\nacl:1:/pool/p:@g:NoAccess:\npool:p/q::7::",
			"unproven", "/pool/p", "proven", "",
		},
		{
			"mappings from /mapping alone", "acl:1:/mapping:u@pve:R_use:\nacl:0:/access:u@pve:R_sys:",
			"unproven", "/", "proven", "",
		},
		{
			"mappings from /mapping/pci alone", "acl:1:/mapping/pci:u@pve:R_change:\nacl:0:/access:u@pve:R_sys:",
			"unproven", "/", "proven", "",
		},
		{
			"mappings from /mapping, the rules unread", "acl:1:/mapping:u@pve:R_use:",
			"unproven", "/", "assumed", "/access",
		},
		{
			"mappings of / taken away at /mapping", "acl:1:/:u@pve:R_all:\nacl:1:/mapping:u@pve:NoAccess:",
			"proven", "", "unproven", "/mapping",
		},
		{
			"mappings taken away at /mapping, one given back", "acl:1:/:u@pve:R_all:\nacl:1:/mapping:u@pve:R_vm:\nacl:1:/mapping/pci/a:u@pve:R_use:",
			"proven", "", "unproven", "/mapping",
		},
		{
			"mappings taken away at /mapping, PCI given back", "acl:1:/:u@pve:R_all:\nacl:1:/mapping:u@pve:NoAccess:\nacl:1:/mapping/pci:u@pve:R_use:",
			"proven", "", "proven", "",
		},
		{
			"a rule about USB hides no PCI mapping", "acl:1:/:u@pve:R_all:\nacl:1:/mapping/usb:u@pve:NoAccess:",
			"proven", "", "proven", "",
		},
		{
			"everything but Sys.Audit", "acl:1:/:u@pve:R_vm,R_use:",
			"assumed", "/access", "assumed", "/access",
		},
		{
			"what is readable of the rules still counts", "acl:1:/:u@pve:R_vm,R_use:\nacl:1:/vms/7:u@pve:NoAccess:\nacl:1:/vms/8:u@pve:PVEDatastoreUser:",
			"unproven", "/vms/8", "assumed", "/access",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := parseWorld(auditor + c.cfg).rights("u@pve!t")
			checkVerdict(t, "VMs", rights.VMs(r), rights.State(c.vms), []string{c.vmFault})
			checkVerdict(t, "mappings", rights.Mappings(r), rights.State(c.mappings), []string{c.mapsFault})
		})
	}
}

// TestReadOfTheRules: without the access rules nothing is proven, whatever the reason;
// what they name counts even if they are not all there is.
func TestReadOfTheRules(t *testing.T) {
	for whole, want := range map[bool]rights.State{true: rights.Proven, false: rights.Assumed} {
		r := parseWorld(auditor + "acl:1:/:u@pve:R_all:\nacl:1:/mapping/pci/b:x@pve:R_use:").rights("u@pve!t")
		r.RulesWhole = whole
		checkVerdict(t, "VMs", rights.VMs(r), want, nil)
		checkVerdict(t, "mappings", rights.Mappings(r), want, nil)
		r.Rules = append(r.Rules, pve.ACLEntry{Path: "//vms//7/"}, pve.ACLEntry{Path: "mapping/pci/a"})
		checkVerdict(t, "VMs", rights.VMs(r), rights.Unproven, []string{"/vms/7"})
		checkVerdict(t, "mappings", rights.Mappings(r), rights.Unproven, []string{"/mapping/pci/a"})
	}
}

// TestMissing shows what is missing and what it costs, in the words people read.
func TestMissing(t *testing.T) {
	const nothing = "The PCI devices of every node are refused."
	const rules = "The access rules are shown only in part, so it cannot be proven that nothing is hidden."
	for _, c := range []struct {
		name, cfg string
		want      []rights.Gap
	}{
		{"nothing", "acl:1:/:u@pve:R_all:", nil},
		{"everything", "", []rights.Gap{
			{"Sys.Audit", "/", false, nothing},
			{"VM.Audit", "/", false, "Any VM may be left out of the lists, and no error says so."},
			{"Mapping.Audit", "/", false, "Any mapping may be left out of the lists, and no error says so."},
			{"Sys.Audit", "/access", false, rules},
		}},
		{"propagation: no VM, no mapping, no error", "acl:0:/:u@pve:R_all:", []rights.Gap{
			{"VM.Audit", "/", true, "Any VM below / may be left out of the lists, and no error says so."},
			{"Mapping.Audit", "/", true, "Any mapping below / may be left out of the lists, and no error says so."},
			{"Sys.Audit", "/access", false, rules},
		}},
		{
			"single paths",
			"acl:1:/:u@pve:R_all:\nacl:1:/vms/100:u@pve:NoAccess:\nacl:1:/vms/99:u@pve:NoAccess:\n" +
				"acl:1:/pool/p:u@pve:NoAccess:\nacl:1:/pool/p/q:u@pve:NoAccess:\nacl:1:/mapping/pci/gpu-a:u@pve:NoAccess:",
			[]rights.Gap{
				{"VM.Audit", "/pool/p", false, "Any VM of pool p may be left out of the lists, and no error says so."},
				{"VM.Audit", "/vms/99", false, "VM 99 may be left out of the lists, and no error says so."},
				{"VM.Audit", "/vms/100", false, "VM 100 may be left out of the lists, and no error says so."},
				{"Mapping.Audit", "/mapping/pci/gpu-a", false, "Mapping gpu-a may be left out of the lists, and no error says so."},
			},
		},
		{"Sys.Modify reads device lists too", "role:M:Sys.Modify:\nacl:1:/:u@pve:R_all:\nacl:1:/access:u@pve:R_all:\nacl:0:/:u@pve:M:", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rights.Missing(parseWorld(auditor + c.cfg).rights("u@pve!t"))
			if len(got) != len(c.want) {
				t.Fatalf("got %+v, want %+v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("got %+v, want %+v", got[i], c.want[i])
				}
			}
		})
	}
}
