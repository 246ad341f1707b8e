package test

import (
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// mostRefused is how many field cases may have reads that failed, so that no
// world can be made of them.
const mostRefused = 3

// TestSimulatedSnapshots: a world that is made from a snapshot of a cluster gives
// the same references, unplaced references and states as the cluster did.
func TestSimulatedSnapshots(t *testing.T) {
	t.Parallel()
	t.Run("demo", func(t *testing.T) {
		t.Parallel()
		first := readSimulated(t, pvesim.Demo(), pvesim.DemoToken)
		if err := compareRebuilt(t, &first); err != nil {
			t.Error(err)
		}
	})
	cases := readScenarios(t, "FC-*.json")
	refused := 0
	for _, s := range cases {
		first, err := readRecording(t, s.ID)
		if err != nil {
			t.Errorf("%s: %v", s.ID, err)
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			if err := compareRebuilt(t, &first); err != nil {
				t.Log(err)
				refused++
			}
		})
	}
	t.Logf("%d of %d field cases are refused", refused, len(cases))
	if refused > mostRefused {
		t.Errorf("%d of %d field cases are refused, at most %d are expected", refused, len(cases), mostRefused)
	}
}

// readSimulated reads a world over its API, without the details.
func readSimulated(t *testing.T, world *pvesim.World, secret string) facts.Snapshot {
	t.Helper()
	return readSimulatedWith(t, world, secret, pveapi.Request{Policy: true})
}

func readSimulatedWith(t *testing.T, world *pvesim.World, secret string, request pveapi.Request) facts.Snapshot {
	t.Helper()
	server, err := pvesim.NewTLSServer(&pvesim.Server{World: world})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	token, err := pveapi.ParseToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pveapi.New(pveapi.Options{Cluster: "default", Endpoints: []string{server.URL}, Token: token, CAs: server.Pool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	snapshot, err := client.Read(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// compareRebuilt makes a world from a snapshot and compares what is read of it.
// The error is the refusal to make one.
func compareRebuilt(t *testing.T, first *facts.Snapshot) error {
	t.Helper()
	file, err := facts.Encode(first)
	if err != nil {
		t.Fatal(err)
	}
	world, err := pvesim.FromSnapshot(file)
	if err != nil {
		return err
	}
	second := readSimulated(t, world, pvesim.RootToken)
	before, after := atlas.Build(first), atlas.Build(&second)
	if len(before.Nodes) != len(after.Nodes) {
		t.Fatalf("%d nodes, and %d after", len(before.Nodes), len(after.Nodes))
	}
	for i := range before.Nodes {
		want, got := comparableAnswer(before, &before.Nodes[i]), comparableAnswer(after, &after.Nodes[i])
		compareJSON(t, want, got)
	}
	return nil
}

// comparableAnswer takes away what a snapshot does not decide: times, the scope of
// the credential, the names of devices, and what does not block.
func comparableAnswer(report *atlas.Report, node *atlas.Node) atlas.Answer {
	answer := report.Answer(node, atlas.AnswerOptions{AllDevices: true})
	answer.ReadAt, answer.Digest, answer.Scope = nil, "", ""
	answer.Issues = slices.DeleteFunc(answer.Issues, func(issue atlas.AnswerIssue) bool { return !issue.Blocks })
	for i := range answer.Devices {
		answer.Devices[i].VendorName, answer.Devices[i].DeviceName = nil, nil
	}
	return answer
}
