package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// NewerSchemaError says that a snapshot file was written by a newer version of
// this program.
type NewerSchemaError struct{ Schema int }

// Error names both versions.
func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("the snapshot has schema %d; this version of pciatlas reads up to schema %d. Use a newer pciatlas", e.Schema, Schema)
}

// Encode gives the snapshot file: indented JSON, equal for equal snapshots.
func Encode(s *Snapshot) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(s); err != nil {
		return nil, fmt.Errorf("write snapshot: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads a snapshot file. The error is a *NewerSchemaError for a file of a
// newer version.
func Decode(data []byte) (Snapshot, error) {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Snapshot{}, fmt.Errorf("this is not a snapshot of pciatlas: %w", plainJSON(err))
	}
	switch {
	case head.Schema == nil || *head.Schema < 1:
		return Snapshot{}, errors.New("this is not a snapshot of pciatlas: it has no schema")
	case *head.Schema > Schema:
		return Snapshot{}, &NewerSchemaError{*head.Schema}
	}
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return Snapshot{}, fmt.Errorf("the snapshot is damaged: %w", plainJSON(err))
	}
	if err := check(&s); err != nil {
		return Snapshot{}, fmt.Errorf("the snapshot is damaged: %w", err)
	}
	return s, nil
}

// check looks whether a snapshot agrees with itself, so that a list that was cut
// is not taken for a short one.
func check(s *Snapshot) error {
	if len(s.Nodes) == 0 && len(s.Members.Value) == 0 {
		return errors.New("it holds no node")
	}
	if s.Guests.Got != len(s.Guests.Value) {
		return fmt.Errorf("%d guests were read, and it holds %d", s.Guests.Got, len(s.Guests.Value))
	}
	if s.Mappings.Got != len(s.Mappings.Value) {
		return fmt.Errorf("%d mappings were read, and it holds %d", s.Mappings.Got, len(s.Mappings.Value))
	}
	type place struct {
		node string
		vmid int
	}
	guests := make(map[place]bool, len(s.Guests.Value))
	for _, guest := range s.Guests.Value {
		guests[place{guest.Node, guest.VMID}] = true
	}
	for name, node := range s.Nodes {
		if node == nil {
			return fmt.Errorf("node %q holds nothing", name)
		}
		if node.Devices.Got != len(node.Devices.Value) {
			return fmt.Errorf("%d devices of node %q were read, and it holds %d", node.Devices.Got, name, len(node.Devices.Value))
		}
		for vmid := range node.VMs {
			if !guests[place{name, vmid}] {
				return fmt.Errorf("it holds the configuration of VM %d on node %q, and the VM is not in its list of guests", vmid, name)
			}
		}
	}
	return nil
}

// plainJSON says where JSON is wrong without repeating what it holds.
func plainJSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("it is not JSON (at byte %d)", syntax.Offset)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s is not of the expected type (at byte %d)", wrong.Field, wrong.Offset)
	}
	return err
}
