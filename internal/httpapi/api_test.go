package httpapi

import "testing"

func TestNew(t *testing.T) {
	if _, err := New(Options{}); err != nil {
		t.Fatal(err)
	}
}
