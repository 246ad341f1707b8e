package pvesim

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// wireMode is how an answer goes wrong while it is sent.
type wireMode int

const (
	wireNormal wireMode = iota
	wireDrop
	wireHang
	wireCut
	wireSlow
	wireOversize
)

const htmlPage = `<!DOCTYPE html>
<html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>
`

// spoil gives an answer another body. Refusals stay as they are, but for those
// kinds that do not look at the answer.
func (f *Fault) spoil(rep reply) reply {
	out := reply{status: http.StatusOK, reason: "OK", contentType: jsonType, delay: rep.delay, slot: rep.slot}
	switch f.Kind {
	case FaultHTML:
		out.contentType, out.body = "text/html;charset=UTF-8", []byte(htmlPage)
		return out
	case FaultGarbage:
		out.body = []byte(`{"data":[{"id":"0000:01:00.0","iommugroup":}],`)
		return out
	case FaultNull:
		out.body = []byte(`{"data":null}`)
		return out
	case FaultStringData:
		out.body = []byte(`{"data":"unexpected"}`)
		return out
	default:
	}
	data, ok := dataOf(rep)
	if !ok {
		return rep
	}
	if f.Kind == FaultStringRows {
		data = stringRows(data)
	} else {
		data = swapTypes(data)
	}
	out.body = encode(map[string]any{"data": data})
	return out
}

// dataOf reads back what a successful answer holds.
func dataOf(rep reply) (data any, ok bool) {
	if rep.status != http.StatusOK {
		return nil, false
	}
	var body struct {
		Data any `json:"data"`
	}
	decoder := json.NewDecoder(bytes.NewReader(rep.body))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return nil, false
	}
	return body.Data, true
}

// stringRows replaces every second row of a list or value of an object.
func stringRows(data any) any {
	switch data := data.(type) {
	case []any:
		for i := 0; i < len(data); i += 2 {
			data[i] = "unexpected"
		}
	case map[string]any:
		for i, key := range slices.Sorted(maps.Keys(data)) {
			if i%2 == 0 {
				data[key] = "unexpected"
			}
		}
	}
	return data
}

// swapTypes sends numbers as strings and numeric strings as numbers, at every
// depth.
func swapTypes(data any) any {
	switch data := data.(type) {
	case []any:
		for i := range data {
			data[i] = swapTypes(data[i])
		}
		return data
	case map[string]any:
		for key := range data {
			data[key] = swapTypes(data[key])
		}
		return data
	case json.Number:
		return data.String()
	case string:
		if n, err := strconv.ParseInt(data, 10, 64); err == nil && strconv.FormatInt(n, 10) == data {
			return n
		}
	}
	return data
}
