package pvesim

import (
	"encoding/json"
	"errors"
	"fmt"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// snapshotSchema is the newest form of the file that FromSnapshot knows.
const snapshotSchema = 1

// snapshotFile is the JSON form of a snapshot, as far as a World holds it.
type snapshotFile struct {
	Schema      *int                                `json:"schema"`
	Cluster     string                              `json:"cluster"`
	Version     snapshotRead[pve.Version]           `json:"version"`
	Members     snapshotRead[[]snapshotMember]      `json:"members"`
	Guests      snapshotRead[[]snapshotGuest]       `json:"guests"`
	Nodes       map[string]*snapshotNode            `json:"nodes"`
	Mappings    snapshotRead[[]pve.Mapping]         `json:"mappings"`
	HA          snapshotRead[snapshotHA]            `json:"ha"`
	Backups     snapshotRead[[]snapshotBackup]      `json:"backups"`
	Replication snapshotRead[[]snapshotReplication] `json:"replication"`
	Mentions    snapshotRead[[]snapshotMention]     `json:"mentions"`
}

// snapshotRead is one read. State is a word, or empty like not_asked.
type snapshotRead[T any] struct {
	State string `json:"state"`
	Value T      `json:"value"`
	Got   int    `json:"got"`
	Stamp struct {
		Source string `json:"source"`
	} `json:"stamp"`
	Problems []struct {
		Code    string `json:"code"`
		Subject string `json:"subject"`
		Message string `json:"message"`
	} `json:"problems"`
}

func (r *snapshotRead[T]) asked() bool { return r.State != "" && r.State != "not_asked" }

// whole gives an error that names the read unless it is all there is.
func (r *snapshotRead[T]) whole(what string) error {
	switch {
	case r.State == "ok":
		return nil
	case !r.asked():
		return fmt.Errorf("%s: nobody read that", what)
	case len(r.Problems) > 0:
		return fmt.Errorf("%s: the read is %s: %s: %s", what, r.State, r.Problems[0].Code, r.Problems[0].Message)
	default:
		return fmt.Errorf("%s: the read is %s", what, r.State)
	}
}

type snapshotMember struct {
	Name   string `json:"name"`
	Online *bool  `json:"online"`
}

type snapshotGuest struct {
	VMID     int       `json:"vmid"`
	Kind     GuestKind `json:"kind"`
	Node     string    `json:"node"`
	Name     string    `json:"name"`
	Status   string    `json:"status"`
	Template *bool     `json:"template"`
	Tags     []string  `json:"tags"`
}

type snapshotNode struct {
	Devices snapshotRead[[]snapshotDevice] `json:"devices"`
	// MdevTypes are told over the API by address, in files by the device.
	MdevTypes map[string]snapshotRead[[]snapshotType] `json:"mdev_types"`
	VMs       map[int]snapshotRead[snapshotVM]        `json:"vms"`
	IOMMU     snapshotRead[struct {
		Present     bool     `json:"present"`
		CommandLine []string `json:"command_line"`
	}] `json:"iommu"`
	Memory snapshotRead[int64] `json:"memory"`
}

type snapshotDevice struct {
	Address    pci.Address   `json:"address"`
	IDs        pci.IDs       `json:"ids"`
	Class      pci.Class     `json:"class"`
	Group      snapshotGroup `json:"group"`
	Mdev       *bool         `json:"mdev"`
	NvidiaVGPU bool          `json:"nvidia_vgpu"`
	Parent     *pci.Address  `json:"parent"`
	Host       *struct {
		Driver      string         `json:"driver"`
		BusBelow    bool           `json:"bus_below"`
		BootDisplay bool           `json:"boot_display"`
		MdevTypes   []snapshotType `json:"mdev_types"`
	} `json:"host"`
}

type snapshotType struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	Available int    `json:"available"`
}

// snapshotGroup is an IOMMU group: told, and nil for none.
type snapshotGroup struct {
	told  bool
	value *int
}

// UnmarshalJSON reads a told group.
func (g *snapshotGroup) UnmarshalJSON(data []byte) error {
	g.told = true
	return json.Unmarshal(data, &g.value)
}

type snapshotVM struct {
	Items     []pve.Item                         `json:"items"`
	HasDisk   bool                               `json:"has_disk"`
	Args      snapshotPhases                     `json:"args"`
	Hook      snapshotPhases                     `json:"hook"`
	Snapshots snapshotRead[[]snapshotVMSnapshot] `json:"snapshots"`
}

type snapshotPhases struct {
	Current      bool `json:"current"`
	Pending      bool `json:"pending"`
	Removal      bool `json:"removal"`
	MentionsVFIO bool `json:"mentions_vfio"`
}

type snapshotVMSnapshot struct {
	Name    string         `json:"name"`
	HostPCI []pve.KeyValue `json:"hostpci"`
}

type snapshotHA struct {
	Resources []snapshotService `json:"resources"`
	Rules     []struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		VMIDs    []int    `json:"vmids"`
		Nodes    []string `json:"nodes"`
		Strict   bool     `json:"strict"`
		Disabled bool     `json:"disabled"`
	} `json:"rules"`
}

type snapshotService struct {
	VMID  int       `json:"vmid"`
	Kind  GuestKind `json:"kind"`
	State string    `json:"state"`
	Group string    `json:"group"`
}

type snapshotBackup struct {
	ID      string `json:"id"`
	Enabled bool   `json:"enabled"`
	All     bool   `json:"all"`
	VMIDs   []int  `json:"vmids"`
	Exclude []int  `json:"exclude"`
	Pool    string `json:"pool"`
	Node    string `json:"node"`
	Mode    string `json:"mode"`
}

type snapshotReplication struct {
	ID       string `json:"id"`
	VMID     int    `json:"vmid"`
	Target   string `json:"target"`
	Disabled bool   `json:"disabled"`
}

type snapshotMention struct {
	VMID  int    `json:"vmid"`
	Where string `json:"where"`
	Taken bool   `json:"taken"`
}

func decodeSnapshot(data []byte) (*snapshotFile, error) {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("this is not a snapshot: %w", err)
	}
	switch {
	case head.Schema == nil || *head.Schema < 1:
		return nil, errors.New("this is not a snapshot: it has no schema")
	case *head.Schema > snapshotSchema:
		return nil, fmt.Errorf("it has schema %d, which is newer than %d", *head.Schema, snapshotSchema)
	}
	var file snapshotFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("the snapshot is damaged: %w", err)
	}
	return &file, nil
}
