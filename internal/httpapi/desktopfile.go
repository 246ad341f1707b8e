package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

var desktopType = reflect.TypeFor[Desktop]()

// ImportedDesktops says what an import did.
type ImportedDesktops struct {
	Created int `json:"created"`
	Changed int `json:"changed" doc:"Have another name or note."`
	Removed int `json:"removed" doc:"Were not in the file; only with mode=replace."`
}

type importInput struct {
	ClusterPath

	Mode    string `query:"mode" enum:"merge,replace" default:"merge" doc:"replace also removes what the file does not name."`
	Confirm string `query:"confirm" maxLength:"40" doc:"The name of the cluster once more; needed to remove all desktops with a file that names none."`
	RawBody []byte `contentType:"text/csv"`
}

type exportOutput struct {
	ContentType        string `header:"Content-Type" hidden:"true"`
	ContentDisposition string `header:"Content-Disposition"`
	Body               []byte
}

const mediaCSV = "text/csv"

func (a *API) registerDesktopFiles() {
	change(a, huma.Operation{
		OperationID: "import-desktops", Method: http.MethodPost, Path: "/clusters/{cluster}/desktops/import", Tags: []string{tagDesktops},
		Summary: "Register the desktops of a file",
		Description: "CSV with the columns vmid, name and note, as the export and spreadsheets write it, up to 2 MiB and 10,000 rows; no cluster has more desktops than that. " +
			"Nothing is imported if anything is wrong with it; all faults are told with their lines.",
		DefaultStatus: http.StatusOK, MaxBodyBytes: maxImport + 1, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, auth.Operator, "desktop.import", a.importDesktops)
	register(a, huma.Operation{
		OperationID: "export-desktops", Method: http.MethodGet, Path: "/clusters/{cluster}/desktops/export", Tags: []string{tagDesktops},
		Summary:     "Registered desktops as a file",
		Description: "Cells that a spreadsheet would take for formulas begin with an apostrophe; the import takes it off.",
		Errors:      []int{http.StatusNotFound},
		Responses: map[string]*huma.Response{"200": {
			Description: "CSV with the columns vmid, name and note.",
			Content:     map[string]*huma.MediaType{mediaCSV: {Schema: &huma.Schema{Type: huma.TypeString}}},
		}},
	}, auth.Auditor, a.exportDesktops)
}

func (a *API) importDesktops(ctx context.Context, input *importInput) (*body[ImportedDesktops], error) {
	cluster, err := a.findCluster(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	desktops, err := fleet.ReadDesktops(bytes.NewReader(input.RawBody))
	if err != nil {
		return nil, importFaults(err)
	}
	if input.Mode == "replace" && len(desktops) == 0 && input.Confirm != cluster.Name {
		return nil, invalid("confirm", "The file names no desktop, so that all of cluster "+cluster.Name+
			" would be removed. To do that, repeat the request with confirm="+cluster.Name+".")
	}
	now := a.Now().UTC()
	for i := range desktops {
		desktops[i].Cluster, desktops[i].CreatedAt, desktops[i].UpdatedAt = cluster.Name, now, now
	}
	entry := a.audit(ctx, "desktops of cluster "+cluster.Name)
	entry.After = map[string]any{"mode": input.Mode, "rows": len(desktops)}
	created, changed, removed, err := a.Store.ImportDesktops(ctx, cluster.Name, desktops, input.Mode == "replace", entry)
	if isNotFound(err) {
		err = noCluster()
	}
	if err != nil {
		return nil, err
	}
	return &body[ImportedDesktops]{ImportedDesktops{created, changed, removed}}, nil
}

// importFaults tells all faults of a file, and that nothing happened.
func importFaults(err error) error {
	var faults *fleet.InvalidError
	if !errors.As(inSentences(err), &faults) {
		return err
	}
	p := fromFields(faults)
	p.Detail = fmt.Sprintf("Nothing was imported. %s: %s", p.Errors[0].Field, p.Errors[0].Message)
	switch more := len(p.Errors) - 1; {
	case more == 1:
		p.Detail += " One more fault is listed in errors."
	case more > 1:
		p.Detail += fmt.Sprintf(" %d more faults are listed in errors.", more)
	}
	return p
}

func (a *API) exportDesktops(ctx context.Context, input *ClusterPath) (*exportOutput, error) {
	cluster, desktops, err := a.desktopsOf(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := fleet.WriteDesktops(&file, desktops); err != nil {
		return nil, err
	}
	return &exportOutput{
		// The name of a cluster has only letters, digits and hyphens.
		ContentDisposition: `attachment; filename="desktops-` + cluster.Name + `.csv"`,
		ContentType:        mediaCSV + "; charset=utf-8", Body: file.Bytes(),
	}, nil
}
