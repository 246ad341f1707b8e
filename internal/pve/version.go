package pve

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is the version of pve-manager that a node runs, for example 9.2.11.
type Version struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
	Patch int `json:"patch"`
}

// ParseVersion reads a version as GET /version writes it: 9.2.11, or 7.4-16 as
// older releases write it. What follows the third number is ignored.
func ParseVersion(s string) (Version, error) {
	fields := strings.FieldsFunc(s, func(c rune) bool { return c == '.' || c == '-' || c == '~' || c == '+' })
	var numbers [3]int
	for i, field := range fields {
		if i == len(numbers) {
			break
		}
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 {
			if i == 0 {
				return Version{}, fmt.Errorf("%q is not a version of Proxmox VE", s)
			}
			break
		}
		numbers[i] = n
	}
	if len(fields) == 0 || s[0] < '0' || s[0] > '9' {
		return Version{}, fmt.Errorf("%q is not a version of Proxmox VE", s)
	}
	return Version{numbers[0], numbers[1], numbers[2]}, nil
}

// String gives the version as Proxmox VE writes it.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// AtLeast tells whether the version is the given one or a later one.
func (v Version) AtLeast(major, minor, patch int) bool {
	return cmp.Or(cmp.Compare(v.Major, major), cmp.Compare(v.Minor, minor), cmp.Compare(v.Patch, patch)) >= 0
}
