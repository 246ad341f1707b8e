package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pciatlas/internal/pvesim"
)

// built is a world with a token for it, or recorded answers.
type built struct {
	world     *pvesim.World
	recording *pvesim.Recording
	token     string
}

// build gives the world of a name; case:ID is a scenario.
func build(name, cases string) (built, error) {
	if id, ok := strings.CutPrefix(name, "case:"); ok {
		return buildCase(id, cases)
	}
	made := built{token: pvesim.DemoToken}
	switch name {
	case "demo":
		made.world = pvesim.Demo()
	case "office":
		made.world = pvesim.DemoOffice()
	case "empty":
		made.world = emptyWorld()
	case "no-vms-seen":
		made.world = pvesim.Demo()
		made.world.UserCfg = strings.ReplaceAll(made.world.UserCfg, "Sys.Audit,VM.Audit", "Sys.Audit")
	case "no-rights":
		made.world, made.token = pvesim.Demo(), pvesim.DemoTokenWithoutRights
	case "names":
		made.world = namesWorld()
	case "big":
		made.world = bigWorld()
	default:
		return built{}, fmt.Errorf("there is no world %q", name)
	}
	return made, nil
}

// withAccess gives a world the accounts of the demo.
func withAccess(w *pvesim.World) *pvesim.World {
	demo := pvesim.Demo()
	w.UserCfg, w.Secrets, w.Accounts = demo.UserCfg, demo.Secrets, demo.Accounts
	return w
}

func emptyWorld() *pvesim.World {
	return withAccess(&pvesim.World{Nodes: []pvesim.Node{{Name: "pve", CommandLine: "quiet intel_iommu=on", Devices: []pvesim.Device{
		{Address: "0000:00:00.0", Vendor: "8086", Device: "a700", Subsystem: "1043:8882", Class: "060000", Group: 0},
		{Address: "0000:05:00.0", Vendor: "144d", Device: "a808", Subsystem: "144d:a801", Class: "010802", Group: 1, Driver: "nvme"},
	}}}})
}

// buildCase gives a field case as a world of its files, and a world of
// permissions as it was recorded.
func buildCase(id, cases string) (built, error) {
	if id != filepath.Base(id) {
		return built{}, fmt.Errorf("%q is not the id of a scenario", id)
	}
	text, err := os.ReadFile(filepath.Join(cases, id+".json"))
	if err != nil {
		return built{}, fmt.Errorf("read the scenario: %w", err)
	}
	scenario, err := pvesim.ParseScenario(text)
	if err != nil {
		return built{}, fmt.Errorf("%s: %w", id, err)
	}
	if len(scenario.Root) == 0 {
		recording := scenario.Recording()
		recording.Speed = float64(pveMuteSeconds) / muteDelay.Seconds()
		return built{recording: recording, token: recording.Token}, nil
	}
	world, err := pvesim.FromTrees(scenario.Root)
	if err != nil {
		return built{}, fmt.Errorf("%s: %w", id, err)
	}
	world.UserCfg, world.Secrets = "", nil // what the recorded token saw, root's sees
	world.Accounts = pvesim.Demo().Accounts
	takeContainers(world, scenario)
	return built{world: world, token: pvesim.RootToken}, nil
}

// pveMuteSeconds is how long a mute node was waited for when answers were
// recorded.
const pveMuteSeconds = 30

// takeContainers tells from the recorded lists which containers run: the files
// do not.
func takeContainers(world *pvesim.World, scenario *pvesim.Scenario) {
	for i := range scenario.Exchanges {
		exchange := &scenario.Exchanges[i]
		if exchange.Request.Path != "/api2/json/cluster/resources" {
			continue
		}
		var body struct {
			Data []struct {
				VMID   int    `json:"vmid"`
				Type   string `json:"type"`
				Status string `json:"status"`
			} `json:"data"`
		}
		if json.Unmarshal(exchange.Body, &body) != nil {
			continue // a refusal was recorded
		}
		for _, row := range body.Data {
			for j := range world.Guests {
				if guest := &world.Guests[j]; row.Type == "lxc" && guest.VMID == row.VMID {
					guest.Running = row.Status == "running"
				}
			}
		}
	}
}
