package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"weak"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/auth"
)

// rendered is an answer as it is sent. The tag is another one for other bytes.
type rendered struct {
	body []byte
	etag string
}

// answerKey names all that an answer depends on. It does not keep the report.
type answerKey struct {
	report   weak.Pointer[atlas.Report]
	what     string // operation and parameters
	cluster  int64  // revision
	desktops int64  // revision
}

// renderedOutput is a rendered answer, or the word that the caller has it already.
type renderedOutput struct {
	Status      int
	ETag        string `header:"ETag" doc:"Changes with what was read, the time of reading and the managed desktops."`
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        []byte
}

// Conditional is part of the input of operations that answer what was rendered.
type Conditional struct {
	IfNoneMatch string `header:"If-None-Match" maxLength:"1000" doc:"The ETag of an answer that is there already; 304 if it is still the same."`
}

func render(value any) (rendered, error) {
	var buffer bytes.Buffer
	if err := writeJSON(&buffer, value); err != nil {
		return rendered{}, err
	}
	sum := sha256.Sum256(buffer.Bytes())
	return rendered{buffer.Bytes(), `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`}, nil
}

// output answers with the bytes, or with 304 if the caller has them.
func (r rendered) output(condition Conditional) *renderedOutput {
	if matches(condition.IfNoneMatch, r.etag) {
		return &renderedOutput{Status: http.StatusNotModified, ETag: r.etag}
	}
	return &renderedOutput{Status: http.StatusOK, ETag: r.etag, ContentType: "application/json", Body: r.body}
}

// matches compares as If-None-Match demands: a weak tag is as good as a strong one.
func matches(condition, etag string) bool {
	for one := range strings.SplitSeq(condition, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == etag || one == "*" {
			return true
		}
	}
	return false
}

// read adds an operation on what was read. Its answers are rendered values of
// type T, which the description is made from.
func read[T, I any](x *inventory, op huma.Operation, handler func(context.Context, *I) (*renderedOutput, error)) {
	op.Method = http.MethodGet
	op.Errors = append(op.Errors, http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout)
	op.Responses = map[string]*huma.Response{
		strconv.Itoa(http.StatusOK): {
			Description: http.StatusText(http.StatusOK),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schemaOf(x.huma.OpenAPI().Components.Schemas, reflect.TypeFor[T]())}},
		},
		strconv.Itoa(http.StatusNotModified): {Description: "Not Modified: the answer is the one that If-None-Match names."},
	}
	register(x.API, op, auth.Auditor, handler)
}
