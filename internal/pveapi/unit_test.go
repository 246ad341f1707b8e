package pveapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestParseToken(t *testing.T) {
	for _, c := range []struct{ text, id string }{
		{"root@pam!x=1-2", "root@pam!x"}, {" a@b@pve!tok=s=e=c \n", "a@b@pve!tok"},
	} {
		if token, err := ParseToken(c.text); err != nil || token.ID != c.id {
			t.Errorf("%q: %v, %v", c.text, token, err)
		}
	}
	for _, text := range []string{"", "CANARY", "root@pam=CANARY", "root!x=CANARY", "@pam!x=CANARY", "root@!x=CANARY", "root@pam!x=", "root@pam!=CANARY", "root@pam!x=CAN ARY", "root@pam!x=CANARY\nnext"} {
		token, err := ParseToken(text)
		if err == nil {
			t.Errorf("%q is accepted as %v", text, token)
		} else if strings.Contains(err.Error(), "CANARY") {
			t.Errorf("the error repeats the text: %v", err)
		}
	}
	token, _ := ParseToken("root@pam!x=CANARY")
	if text := fmt.Sprintf("%v %+v %#v %s", token, token, token, &token); strings.Contains(text, "CANARY") {
		t.Errorf("printing shows the secret: %s", text)
	}
}

func TestCheckEndpoint(t *testing.T) {
	for address, want := range map[string]string{
		"https://pve-a.example.com:8006": "https://pve-a.example.com:8006", "pve-a.example.com": "https://pve-a.example.com:8006",
		"https://192.0.2.1/": "https://192.0.2.1:8006", "https://[2001:db8::1]:443": "https://[2001:db8::1]:443",
	} {
		if got, err := CheckEndpoint(address); err != nil || got != want {
			t.Errorf("%q: %q, %v", address, got, err)
		}
	}
	for _, address := range []string{"", "http://pve-a:8006", "https://user:secret@pve-a", "https://", "https://pve-a/api2", "https://pve-a?x=1", "ftp://x", "https://pve-a#x", "https://a b", "://"} {
		if got, err := CheckEndpoint(address); err == nil {
			t.Errorf("%q is accepted as %q", address, got)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error repeats a password: %v", err)
		}
	}
}

func TestFingerprint(t *testing.T) {
	text := strings.TrimSuffix(strings.Repeat("AB:", 32), ":")
	for _, spelling := range []string{text, strings.ToLower(text), strings.ReplaceAll(text, ":", ""), " " + text + "\n"} {
		if f, err := ParseFingerprint(spelling); err != nil || f.String() != text {
			t.Errorf("%q: %v, %v", spelling, f, err)
		}
	}
	for _, spelling := range []string{"", "AB", text + ":AB", strings.Replace(text, "AB", "ZZ", 1)} {
		if _, err := ParseFingerprint(spelling); err == nil {
			t.Errorf("%q is accepted", spelling)
		}
	}
}

func TestScalar(t *testing.T) {
	for text, want := range map[string]string{`"a"`: "a", `1`: "1", `true`: "1", `false`: "0", `-1`: "-1", `1.5`: "1.5", `""`: "", `null`: ""} {
		var s scalar
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.text != want || s.set != (text != "null") {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{`{}`, `[]`, `[1]`} {
		var s scalar
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s is read as %+v", text, s)
		}
	}
	for _, c := range []struct {
		text string
		want int
	}{{"1", 1}, {" 7 ", 7}, {"-1", -1}, {"1.0", 1}, {"1e2", 100}} {
		if n, err := (scalar{c.text, true}).number(); err != nil || n != c.want {
			t.Errorf("%q: %d, %v", c.text, n, err)
		}
	}
	for _, s := range []scalar{{}, {"x", true}, {"1.5", true}, {"1e99", true}, {"NaN", true}} {
		if n, err := s.number(); err == nil {
			t.Errorf("%+v is read as %d", s, n)
		}
	}
}

func TestRepairText(t *testing.T) {
	for _, text := range []string{"plain", "日本語 🖥", "ä", "æ", "Kürzel"} {
		if got := repairText(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		var double strings.Builder
		for _, b := range []byte(text) {
			double.WriteRune(rune(b))
		}
		if got := repairText(double.String()); got != text {
			t.Errorf("%q encoded twice becomes %q", text, got)
		}
	}
}

// FuzzRows: no row is too odd, and a row that is taken is usable.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"id":"0000:01:00.0","vendor":"0x10de","device":"0x2204","class":"0x030000","iommugroup":-1,"virtfns":{"virtfn0":"0000:01:00.1"}}`))
	f.Add([]byte(`{"key":"hostpci0","value":"01:00.0","pending":1,"delete":"2"}`))
	f.Add([]byte(`{"id":"gpu","map":["id=10de:2204,node=a,path=0000:01:00.0"],"mdev":true,"description":"æ"}`))
	f.Add([]byte(`{"type":"qemu","vmid":"100","node":"a","status":"running","template":0,"tags":"a;b"}`))
	f.Add([]byte(`{"sid":"vm:100","rule":"r","resources":"vm:1,ct:2","nodes":"a:1,b","vmid":"1,2","guest":3,"path":"/vms/1","propagate":1}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		if h, err := hardwareRow(row); err == nil && h.device.Class == 0 && h.device.Address.String() == "" {
			t.Fatalf("%s gives %+v", row, h)
		}
		if item, err := itemRow(row); err == nil && item.Key == "" {
			t.Fatalf("%s gives an item without key", row)
		}
		if mapping, err := mappingRow(row); err == nil && mapping.ID == "" {
			t.Fatalf("%s gives a mapping without id", row)
		}
		_, _ = guestRow(row)
		memory := map[string]int64{}
		if _, err := memberRow(row, memory); memory[""] != 0 || err != nil && len(memory) > 0 {
			t.Fatalf("%s gives the memory %v, and %v", row, memory, err)
		}
		_, _ = aclRow(row)
		_, _ = haResourceRow(row)
		_, _ = haRuleRow(row)
		_, _ = haGroupRow(row)
		_, _ = backupRow(row)
		_, _ = replicationRow(row)
	})
}

// TestMappingRowTexts: Proxmox VE sends all texts of the mapping file with their
// bytes taken for Latin-1, those within entries included.
func TestMappingRowTexts(t *testing.T) {
	double := func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			b.WriteRune(rune(c))
		}
		return b.String()
	}
	row, err := json.Marshal(map[string]any{
		"id": "gpu", "description": double("Grafikkarte für 日本"),
		"map": []string{"description=" + double("größte") + ",id=10de:2204,node=pve-a,path=0000:01:00.0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := mappingRow(row)
	if err != nil || *mapping.Description != "Grafikkarte für 日本" || mapping.Entries[0].Description != "größte" {
		t.Errorf("%v: %+v", err, mapping)
	}
}

// TestHARuleRow: a rule one of whose guests cannot be read is no shorter rule.
func TestHARuleRow(t *testing.T) {
	rule, err := haRuleRow([]byte(`{"rule":"r","type":"node-affinity","resources":"vm:100,ct:101","nodes":"pve-a:2,pve-b"}`))
	if err != nil || len(rule.VMIDs) != 2 || len(rule.Nodes) != 2 {
		t.Errorf("%v: %+v", err, rule)
	}
	if rule, err := haRuleRow([]byte(`{"rule":"r","resources":"vm:100,vm:x"}`)); err == nil {
		t.Errorf("read as %+v", rule)
	}
}
