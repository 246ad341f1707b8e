package fleet

import "io"

// ReadDesktops reads a CSV file.
func ReadDesktops(r io.Reader) ([]Desktop, error) {
	_ = r
	return nil, nil
}

// WriteDesktops writes a CSV file.
func WriteDesktops(w io.Writer, desktops []Desktop) error {
	_, _ = w, desktops
	return nil
}
