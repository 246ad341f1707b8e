package httpapi

import (
	"html/template"
	"maps"
	"net/http"
)

var failurePage = template.Must(template.New("failure").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not signed in - pciatlas</title>
</head>
<body>
<main>
<h1>You are not signed in</h1>
<p>{{.Detail}}</p>
<p><a href="/">Back to signing in</a></p>
<p>Code <code>{{.Code}}</code>, request <code>{{.RequestID}}</code></p>
</main>
</body>
</html>
`))

// writeFailure says on a page why somebody is not signed in.
func (a *API) writeFailure(w http.ResponseWriter, r *http.Request, err error) {
	if problemCode(err) == codeSignIn {
		err = newProblem(codeConflict, "The account was changed while you signed in. Sign in again.")
	}
	p := a.failed(r.Context(), err)
	header := w.Header()
	maps.Copy(header, problemHeaders(p))
	header.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(p.Status)
	_ = failurePage.Execute(w, p) // The reader went away: there is nobody to tell.
}
