package pvesim_test

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

// writing are the files of writing exchanges, with how many there are.
var writing = map[string]int{"mapping-write": 20, "vm-config-write": 16}

// recorded are the files of reading exchanges with how many there are, so that
// none is left out silently.
var recorded = map[string]int{
	"access-permissions": 42, "auth": 15, "cluster-resources": 18, "hardware-pci": 19, "mapping-pci": 27, "methods": 4,
	"nodes": 2, "qemu-config": 3, "qemu-list": 9, "qemu-pending": 29, "scenario-fresh-node": 24,
	"scenario-odd-guests-and-mappings": 43, "scenario-standalone-node-without-iommu": 23, "unreachable": 8, "uri": 24, "version": 1,
}

// speed is how much faster delays pass here.
const speed = 2000

func scaled(d time.Duration) time.Duration { return d / speed }

// worldOf gives the cluster that a file of samples was recorded from.
func worldOf(t *testing.T, file string) *pvesim.World {
	t.Helper()
	switch file {
	case "scenario-fresh-node":
		return freshWorld(t)
	case "scenario-odd-guests-and-mappings":
		return oddWorld(t)
	case "scenario-standalone-node-without-iommu":
		return standaloneWorld(t)
	default:
		return recordedWorld(t)
	}
}

func freshWorld(t *testing.T) *pvesim.World {
	t.Helper()
	world := recordedWorld(t)
	world.Cluster, world.Guests, world.MappingCfg = "", nil, ""
	world.Nodes = world.Nodes[:1]
	world.Nodes[0].NoStatistics = true
	world.Nodes[0].Devices = world.Nodes[0].Devices[:3]
	return world
}

func standaloneWorld(t *testing.T) *pvesim.World {
	t.Helper()
	world := recordedWorld(t)
	world.Cluster, world.Guests, world.MappingCfg = "", nil, ""
	world.Nodes = world.Nodes[:1]
	node := &world.Nodes[0]
	node.NoIOMMU = true
	node.Devices = node.Devices[:12]
	for i := range node.Devices {
		node.Devices[i].Group = pvesim.NoGroup
	}
	return world
}

func oddWorld(t *testing.T) *pvesim.World {
	t.Helper()
	world := recordedWorld(t)
	world.MappingCfg = "gpu-x\n\tdescription Ümläut 日本\n" +
		"\tmap description=slot 1,id=10de:2204,iommugroup=1,node=pve-a,path=0000:01:00.0;0000:02:00.0,subsystem-id=1458:403b\n" +
		"\tmap id=10de:2204,iommugroup=14,node=pve-b,path=0000:01:00,subsystem-id=1458:403b\n" +
		"\tmap id=10de:2204,node=gone-node,path=0000:01:00.0\n\n" +
		"UPPER_case-9\n\tlive-migration-capable 1\n\tmap id=1002:744c,iommugroup=50,node=pve-a,path=0000:c1:00,subsystem-id=1da2:e471\n\tmdev 0\n\n" +
		"half\n\tmap id=1a03:2000,iommugroup=23,node=pve-a,path=0000:05:00.0,subsystem-id=1a03:2000\n\tmap nonsense\n\n" +
		"broken\n\tmap nonsense\n"
	world.Guests = []pvesim.Guest{
		{VMID: 100, Config: ""},
		{VMID: 101, Config: "#note: first\n#second line\nhostpci0: 0000:01:00,pcie=1\nhostpci2: mapping=deleted-one\nlock: migrate\n" +
			"machine: q35\nname: gpu-01.lab.example.invalid\ntags: a;b-c;d_e\n\n[PENDING]\ndelete: hostpci2,hostpci9\n" +
			"hostpci0: mapping=gpu-x\n\n[s1]\nhostpci5: 0000:05:00.0\nsnaptime: 1755000000\n"},
		{VMID: 200, Config: "name: tmpl\ntemplate: 1\n"},
		{VMID: 999999999, Node: "pve-b", Config: "hostpci15: 0000:01:00.0\nname: far\ntemplate: 1\n"},
	}
	for i := range world.Guests {
		guest := &world.Guests[i]
		guest.Kind, guest.NoStatistics = pvesim.QEMU, true
		if guest.Node == "" {
			guest.Node = "pve-a"
		}
	}
	return world
}

// TestReplaysTheSamples sends every recorded reading request to a simulated
// cluster and compares the answers with those of PVE's own code.
func TestReplaysTheSamples(t *testing.T) {
	t.Parallel()
	checkFiles(t)
	total, byType := 0, 0
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		samples := readSamples(t, name)
		if len(samples) != recorded[name] {
			t.Errorf("%s has %d exchanges, expected %d", name, len(samples), recorded[name])
		}
		world := worldOf(t, name)
		server := &pvesim.Server{
			World: world, Seed: 7, AuthDelay: scaled(3 * time.Second), MuteDelay: scaled(30 * time.Second),
		}
		front := start(t, server)
		c := client(t, front)
		for i := range samples {
			byType += replay(t, c, front.URL, world, name, &samples[i])
			total++
		}
	}
	t.Logf("%d exchanges replayed, %d values compared by type", total, byType)
	if total != 291 {
		t.Errorf("%d exchanges replayed, expected 291", total)
	}
}

// checkFiles makes sure that every file of samples is known here.
func checkFiles(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(vectors + "api-samples")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(recorded)+len(writing) {
		t.Errorf("%d files of samples, expected %d", len(entries), len(recorded)+len(writing))
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".json")
		if _, reads := recorded[name]; !reads && writing[name] == 0 {
			t.Errorf("file of samples %s is not replayed", name)
		}
	}
	for name, count := range writing {
		if samples := readSamples(t, name); len(samples) != count {
			t.Errorf("%s has %d exchanges, expected %d", name, len(samples), count)
		}
	}
}

// replay sends one recorded request and compares the answer.
func replay(t *testing.T, c *http.Client, url string, world *pvesim.World, file string, s *sample) int {
	t.Helper()
	headers := map[string]string{}
	if s.Token != "" {
		headers = auth(world.Token(s.Token))
	}
	maps.Copy(headers, s.Request.Headers)
	if _, own := s.Request.Headers["Cookie"]; own && s.Request.Headers["Authorization"] == "" {
		delete(headers, "Authorization")
	}
	got := sendAny(t, c, world, s, url, headers)
	where := file + ": " + s.Token + " " + s.Request.Method + " " + s.Request.Path
	compareHead(t, where, got, s)
	want := s.Response
	if want.RawBody != nil {
		if string(got.body) != *want.RawBody {
			t.Errorf("%s: body %q, recorded %q", where, got.body, *want.RawBody)
		}
		return 0
	}
	path, _, _ := strings.Cut(strings.TrimSuffix(s.Request.Path, "/"), "?")
	return sameJSON(t, strings.TrimSuffix(path, "/"), foreignDigest(file, path), got.body, want.Body)
}

// foreignDigest tells which digests are those of files that the samples do not
// show: of all VMs and of the mappings of one made-up cluster.
func foreignDigest(file, path string) bool {
	return strings.Contains(path, "/qemu/") || strings.Contains(path, "/lxc/") || file == "scenario-odd-guests-and-mappings"
}

// compareHead compares what stands before the body.
func compareHead(t *testing.T, where string, got answer, s *sample) {
	t.Helper()
	want := s.Response
	if got.code != want.Status || got.status != recordedStatus(s) {
		t.Errorf("%s: status %q, recorded %q", where, got.status, recordedStatus(s))
	}
	wantType := ""
	if want.ContentType != nil {
		wantType = *want.ContentType
	}
	if got.contentType != wantType {
		t.Errorf("%s: content type %q, recorded %q", where, got.contentType, wantType)
	}
	if closed := got.connection == "close"; closed != (want.Status >= 400) {
		t.Errorf("%s: connection %q after status %d", where, got.connection, want.Status)
	}
	if want.DelayedSeconds != nil && *want.DelayedSeconds > 0 {
		least := scaled(time.Duration(*want.DelayedSeconds * float64(time.Second)))
		if got.took < least {
			t.Errorf("%s: took %s, at least %s is recorded (%d times as long)", where, got.took, least, speed)
		}
	}
}

func recordedStatus(s *sample) string {
	return strconv.Itoa(s.Response.Status) + " " + s.Response.Reason
}

// sendAny sends a request. A header that net/http would change on its way goes
// over a bare connection, after a first request that takes it from net/http.
func sendAny(t *testing.T, c *http.Client, world *pvesim.World, s *sample, url string, headers map[string]string) answer {
	t.Helper()
	value := headers["Authorization"]
	if value == strings.TrimSpace(value) {
		return send(t, c, s.Request.Method, url+s.Request.Path, headers)
	}
	raw := dial(t, c, url)
	raw.get(t, "/api2/json/version", pvesim.Authorization(world.Token("root@pam!full")))
	return raw.get(t, s.Request.Path, value)
}
