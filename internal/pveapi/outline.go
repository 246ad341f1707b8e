package pveapi

import (
	"errors"
	"fmt"
)

// outline follows the shape of an answer while it is received: an object, nested no
// deeper and with no more values than an answer of Proxmox VE. It does not check
// that it is JSON, and it keeps nothing of it.
type outline struct {
	values int // commas and colons that are left

	depth, rows             int
	begun, inText, isEscape bool
}

// read takes the next bytes and gives what is wrong with them, nil for nothing.
func (o *outline) read(data []byte) error {
	for _, b := range data {
		switch {
		case o.isEscape:
			o.isEscape = false
		case o.inText:
			o.isEscape, o.inText = b == '\\', b != '"'
		default:
			if err := o.mark(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// mark takes a byte that is not within a text.
func (o *outline) mark(b byte) error {
	switch b {
	case ' ', '\t', '\r', '\n':
		return nil
	case '"':
		o.inText = true
	case '{', '[':
		o.depth++
	case '}', ']':
		o.depth--
	case ',', ':':
		o.values--
	}
	if b == ',' && o.depth == 2 {
		o.rows++
	}
	switch {
	case !o.begun && b != '{':
		return errNotPVE
	case o.depth > maxDepth:
		return fmt.Errorf("the answer is nested deeper than %d levels", maxDepth)
	case o.values < 0, o.rows >= maxRows:
		return errors.New("the answer has more values than any of Proxmox VE")
	}
	o.begun = true
	return nil
}
