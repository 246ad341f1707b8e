// Package web holds the built console and serves it.
//
// The console is built from src into static/app, which is not committed; a program
// that is built without it serves a page that says so.
package web

import (
	"context"
	"embed"
	"io/fs"
	"net/http"
	"sync"
)

//go:embed all:static
var static embed.FS

// embedded is the table of the embedded files; hashing them once is enough.
var embedded = sync.OnceValue(func() *site {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // The name of the folder is a constant.
	}
	s, err := newSite(files)
	if err != nil {
		panic(err) // Embedded files can be read.
	}
	return s
})

// Handler serves the console: its files, and its page for every other path without
// a file extension, because the console finds the way from there by itself. Nothing
// below /api is answered but with 404. nonce gives the value of the answer's
// Content-Security-Policy that the page's own styles need; nil: there is none.
func Handler(nonce func(ctx context.Context) string) http.Handler {
	if nonce == nil {
		nonce = func(context.Context) string { return "" }
	}
	return &handler{site: embedded(), nonce: nonce}
}

// Built tells whether the console is in this program.
func Built() bool { return embedded().page != nil }
