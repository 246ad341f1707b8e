package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// mappingChecks is what Proxmox VE says of one mapping.
type mappingChecks struct {
	id     string
	checks []pve.Check
}

// readMappingChecks asks what a node says of the entries of all mappings for it. The
// list is filtered silently, as that of the mappings is.
func (r *reader) readMappingChecks(ctx context.Context, b *budget, node string) facts.Read[map[string][]pve.Check] {
	request := "GET /cluster/mapping/pci?check-node=" + node
	from := r.client.options.Now()
	data, err := r.onNode(ctx, b, node, "/cluster/mapping/pci", url.Values{"check-node": {node}})
	var rows []mappingChecks
	var problems []facts.Problem
	if err == nil {
		rows, problems, err = decodeRows(request, data, mappingChecksRow)
	}
	if err != nil {
		return failedRead[map[string][]pve.Check](r, from, request, err)
	}
	checks := make(map[string][]pve.Check, len(rows))
	for _, row := range rows {
		checks[row.id] = row.checks
	}
	return facts.Read[map[string][]pve.Check]{State: rowState(problems), Value: checks, Problems: problems, Stamp: r.stamp(from)}
}

func mappingChecksRow(row json.RawMessage) (mappingChecks, error) {
	var wire struct {
		ID     scalar `json:"id"`
		Checks *[]struct {
			Severity scalar `json:"severity"`
			Message  scalar `json:"message"`
		} `json:"checks"`
	}
	if err := json.Unmarshal(row, &wire); err != nil {
		return mappingChecks{}, err
	}
	if !pve.ValidMappingID(wire.ID.text) || wire.Checks == nil {
		return mappingChecks{}, errors.New("it has no id or no checks")
	}
	checks := mappingChecks{id: wire.ID.text, checks: make([]pve.Check, len(*wire.Checks))}
	for i, check := range *wire.Checks {
		checks.checks[i] = pve.Check{Severity: check.Severity.text, Message: strings.TrimSuffix(repairText(check.Message.text), "\n")}
	}
	return checks, nil
}
