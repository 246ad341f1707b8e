package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// Desktop is a VM that is registered as a managed desktop.
type Desktop struct {
	VMID      int       `json:"vmid"`
	Name      string    `json:"name"`
	Note      string    `json:"note" doc:"May be empty."`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Desktops is the list of the registered desktops of a cluster. VMs that are
// managed by the tag rule only are not in it.
type Desktops struct {
	Cluster    string    `json:"cluster"`
	DesktopTag *string   `json:"desktop_tag" doc:"VMs with this tag are managed, too; null for no such rule."`
	Desktops   []Desktop `json:"desktops" doc:"By number."`
}

// NewDesktop is what one may set of a desktop.
type NewDesktop struct {
	Name string `json:"name" doc:"1 to 100 characters."`
	Note string `json:"note,omitempty" doc:"Up to 500 characters."`
}

// DesktopPath names a registered desktop.
type DesktopPath struct {
	ClusterPath

	VMID int `path:"vmid" minimum:"100" maximum:"999999999"`
}

type putDesktopInput struct {
	DesktopPath

	Body NewDesktop
}

type putDesktopOutput struct {
	Status int
	Body   Desktop
}

const tagDesktops = "Managed desktops"

func (a *API) registerDesktops() {
	register(a, huma.Operation{
		OperationID: "list-desktops", Method: http.MethodGet, Path: "/clusters/{cluster}/desktops", Tags: []string{tagDesktops},
		Summary: "Registered desktops of a cluster", Errors: []int{http.StatusNotFound},
	}, auth.Auditor, a.listDesktops)
	schema := a.huma.OpenAPI().Components.Schemas.Schema(desktopType, true, "")
	change(a, huma.Operation{
		OperationID: "put-desktop", Method: http.MethodPut, Path: "/clusters/{cluster}/desktops/{vmid}", Tags: []string{tagDesktops},
		Summary: "Register a desktop, or rename it", Description: "A cluster has up to 10,000.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
		Responses: map[string]*huma.Response{strconv.Itoa(http.StatusCreated): {
			Description: "It was not registered before.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}},
	}, auth.Operator, "desktop.put", a.putDesktop)
	change(a, huma.Operation{
		OperationID: "delete-desktop", Method: http.MethodDelete, Path: "/clusters/{cluster}/desktops/{vmid}", Tags: []string{tagDesktops},
		Summary: "Register a desktop no longer", Description: "The VM itself is not touched.", Errors: []int{http.StatusNotFound},
	}, auth.Operator, "desktop.delete", a.deleteDesktop)
	a.registerDesktopFiles()
}

func toDesktop(d fleet.Desktop) Desktop {
	return Desktop{VMID: d.VMID, Name: d.Name, Note: d.Note, CreatedAt: timestamp(d.CreatedAt), UpdatedAt: timestamp(d.UpdatedAt)}
}

// desktopValues are the values for the audit log; nil for a desktop that is not
// registered.
func desktopValues(d *fleet.Desktop) map[string]any {
	if d == nil {
		return nil
	}
	return map[string]any{"name": d.Name, "note": d.Note}
}

// desktopsOf gives a cluster and its registered desktops.
func (a *API) desktopsOf(ctx context.Context, name string) (fleet.Cluster, []fleet.Desktop, error) {
	cluster, err := a.findCluster(ctx, name)
	if err != nil {
		return cluster, nil, err
	}
	desktops, err := a.Store.Desktops(ctx, cluster.Name)
	if isNotFound(err) {
		err = noCluster()
	}
	return cluster, desktops, err
}

// findDesktop gives a registered desktop, nil if there is none of the number.
func (a *API) findDesktop(ctx context.Context, path DesktopPath) (fleet.Cluster, *fleet.Desktop, error) {
	cluster, desktops, err := a.desktopsOf(ctx, path.Cluster)
	if err != nil {
		return cluster, nil, err
	}
	i := slices.IndexFunc(desktops, func(d fleet.Desktop) bool { return d.VMID == path.VMID })
	if i < 0 {
		return cluster, nil, nil
	}
	return cluster, &desktops[i], nil
}

func (a *API) listDesktops(ctx context.Context, input *ClusterPath) (*body[Desktops], error) {
	cluster, desktops, err := a.desktopsOf(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	output := &body[Desktops]{Desktops{Cluster: cluster.Name, DesktopTag: textOrNull(cluster.DesktopTag), Desktops: []Desktop{}}}
	for _, desktop := range desktops {
		output.Body.Desktops = append(output.Body.Desktops, toDesktop(desktop))
	}
	return output, nil
}

func (a *API) putDesktop(ctx context.Context, input *putDesktopInput) (*putDesktopOutput, error) {
	cluster, before, err := a.findDesktop(ctx, input.DesktopPath)
	if err != nil {
		return nil, err
	}
	now := a.Now().UTC()
	desktop := fleet.Desktop{Cluster: cluster.Name, VMID: input.VMID, Name: input.Body.Name, Note: input.Body.Note, CreatedAt: now, UpdatedAt: now}
	if before != nil {
		desktop.CreatedAt = before.CreatedAt
	}
	if err := desktop.Check(); err != nil {
		return nil, inSentences(err)
	}
	entry := a.audit(ctx, desktopObject(cluster.Name, input.VMID))
	entry.Before, entry.After = desktopValues(before), desktopValues(&desktop)
	created, err := a.Store.PutDesktop(ctx, desktop, entry)
	if isNotFound(err) {
		err = noCluster()
	}
	if err != nil {
		return nil, err
	}
	output := &putDesktopOutput{http.StatusOK, toDesktop(desktop)}
	if created {
		output.Status = http.StatusCreated
	}
	return output, nil
}

func (a *API) deleteDesktop(ctx context.Context, input *DesktopPath) (*struct{}, error) {
	cluster, before, err := a.findDesktop(ctx, *input)
	if err != nil {
		return nil, err
	}
	if before == nil {
		return nil, noDesktop()
	}
	entry := a.audit(ctx, desktopObject(cluster.Name, input.VMID))
	entry.Before = desktopValues(before)
	err = a.Store.DeleteDesktop(ctx, cluster.Name, input.VMID, entry)
	if isNotFound(err) {
		err = noDesktop()
	}
	return nil, err
}

func noDesktop() *Problem {
	return notFound("desktop", "No desktop is registered for this VM. It may be managed by the tag rule of the cluster.")
}

// desktopObject names a desktop in the audit log.
func desktopObject(cluster string, vmid int) string {
	return "desktop " + cluster + "/" + strconv.Itoa(vmid)
}

// inSentences gives the messages of faults the looks of sentences.
func inSentences(err error) error {
	var faults *fleet.InvalidError
	if !errors.As(err, &faults) {
		return err
	}
	fields := slices.Clone(faults.Fields)
	for i := range fields {
		fields[i].Message = sentence(fields[i].Message)
	}
	return &fleet.InvalidError{Fields: fields}
}
