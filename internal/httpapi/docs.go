package httpapi

import (
	"bytes"
	_ "embed" // the page and its style
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html
var docsPage string

//go:embed docs.css
var docsStyle []byte

// docPage is what the page of the interface shows.
type docPage struct {
	Title, Description string
	Groups             []docGroup
	Schemas            []docSchema
}

type docGroup struct {
	Name       string
	Operations []docOperation
}

type docOperation struct {
	ID, Method, Path, Summary, Description, Role string
	Parameters                                   []docField
	Body                                         []docBody
	Answers                                      []docBody
}

// docBody is a body that is sent or answered.
type docBody struct {
	Status, Meaning, MediaType string
	Type                       docType
}

type docSchema struct {
	Name, Description string
	Fields            []docField
}

type docField struct {
	Name, Place, Description, Limits string
	Required                         bool
	Type                             docType
}

// docType is a type in words, with the name of the schema it links to, if any.
type docType struct{ Before, Link, After string }

// renderDocs makes the page of the interface. It needs no script and loads only
// its own style.
func renderDocs(api *huma.OpenAPI) ([]byte, error) {
	page, err := template.New("docs").Parse(docsPage)
	if err != nil {
		return nil, err
	}
	view := docPage{Title: api.Info.Title, Description: api.Info.Description, Groups: docGroups(api)}
	schemas := api.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		view.Schemas = append(view.Schemas, docSchema{name, schemas[name].Description, docFields(schemas[name])})
	}
	var out bytes.Buffer
	if err := page.Execute(&out, view); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// methodOrder is the order of the operations of one path.
var methodOrder = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// docGroups lists the operations by their first tag, in the order of their paths.
func docGroups(api *huma.OpenAPI) []docGroup {
	groups := map[string]*docGroup{}
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		for _, method := range methodOrder {
			op := operationAt(api.Paths[path], method)
			if op == nil {
				continue
			}
			name := "Other"
			if len(op.Tags) > 0 {
				name = op.Tags[0]
			}
			if groups[name] == nil {
				groups[name] = &docGroup{Name: name}
			}
			groups[name].Operations = append(groups[name].Operations, docOperationOf(op, method, path))
		}
	}
	sorted := make([]docGroup, 0, len(groups))
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		sorted = append(sorted, *groups[name])
	}
	return sorted
}

func operationAt(item *huma.PathItem, method string) *huma.Operation {
	switch method {
	case "GET":
		return item.Get
	case "POST":
		return item.Post
	case "PUT":
		return item.Put
	case "PATCH":
		return item.Patch
	case "DELETE":
		return item.Delete
	default:
		return nil
	}
}

func docOperationOf(op *huma.Operation, method, path string) docOperation {
	role, _ := op.Extensions["x-role"].(string)
	doc := docOperation{
		ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Description: op.Description, Role: role,
	}
	for _, parameter := range op.Parameters {
		doc.Parameters = append(doc.Parameters, docField{
			parameter.Name, parameter.In, parameter.Description, limitsOf(parameter.Schema), parameter.Required, typeOf(parameter.Schema),
		})
	}
	if op.RequestBody != nil {
		doc.Body = docBodies("", "", op.RequestBody.Content)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := op.Responses[status]
		bodies := docBodies(status, response.Description, response.Content)
		if len(bodies) == 0 {
			bodies = []docBody{{Status: status, Meaning: response.Description}}
		}
		doc.Answers = append(doc.Answers, bodies...)
	}
	return doc
}

func docBodies(status, meaning string, content map[string]*huma.MediaType) []docBody {
	var bodies []docBody
	for _, media := range slices.Sorted(maps.Keys(content)) {
		bodies = append(bodies, docBody{status, meaning, media, typeOf(content[media].Schema)})
	}
	return bodies
}

func docFields(schema *huma.Schema) []docField {
	var fields []docField
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		of := schema.Properties[name]
		fields = append(fields, docField{
			name, "", of.Description, limitsOf(of), slices.Contains(schema.Required, name), typeOf(of),
		})
	}
	return fields
}

// typeOf says in words what a schema describes.
func typeOf(schema *huma.Schema) docType {
	switch {
	case schema == nil:
		return docType{Before: "anything"}
	case schema.Ref != "":
		return docType{Link: schema.Ref[strings.LastIndex(schema.Ref, "/")+1:]}
	case len(schema.OneOf) > 0:
		return typeOf(schema.OneOf[0]).after(" or null")
	case schema.Type == "array":
		return typeOf(schema.Items).before("list of ")
	case schema.Type == "object":
		if values, ok := schema.AdditionalProperties.(*huma.Schema); ok {
			return typeOf(values).before("object with values: ")
		}
		return docType{Before: "object"}
	}
	text := schema.Type
	if text == "" {
		text = "anything"
	}
	if schema.Format != "" {
		text += " (" + schema.Format + ")"
	}
	if schema.Nullable {
		text += " or null"
	}
	return docType{Before: text}
}

func (t docType) before(text string) docType {
	t.Before = text + t.Before
	return t
}

func (t docType) after(text string) docType {
	t.After += text
	return t
}

// limitsOf says in words which values a schema takes.
func limitsOf(schema *huma.Schema) string {
	if schema == nil {
		return ""
	}
	var limits []string
	if len(schema.Enum) > 0 {
		values := make([]string, 0, len(schema.Enum))
		for _, value := range schema.Enum {
			values = append(values, fmt.Sprint(value))
		}
		limits = append(limits, "one of "+strings.Join(values, ", "))
	}
	if schema.Minimum != nil {
		limits = append(limits, fmt.Sprintf("from %.0f", *schema.Minimum))
	}
	if schema.Maximum != nil {
		limits = append(limits, fmt.Sprintf("up to %.0f", *schema.Maximum))
	}
	if schema.MaxLength != nil {
		limits = append(limits, fmt.Sprintf("up to %d characters", *schema.MaxLength))
	}
	if schema.Default != nil {
		limits = append(limits, fmt.Sprintf("%v if left out", schema.Default))
	}
	return strings.Join(limits, "; ")
}
