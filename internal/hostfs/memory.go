package hostfs

import (
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
)

const memoryFile = "proc/meminfo"

// readMemory reads how much memory the node has. A tree without the file tells
// nothing.
func (r *reader) readMemory() facts.Read[int64] {
	from := r.now()
	text, err := r.top.read(memoryFile, r.limits.ProcFile)
	if errors.Is(err, fs.ErrNotExist) {
		return facts.Read[int64]{}
	}
	var bytes int64
	if err == nil {
		bytes, err = parseMemory(text)
	}
	if err != nil {
		return failedSince[int64](r, from, problemOf(memoryFile, err))
	}
	return facts.Read[int64]{State: facts.OK, Value: bytes, Stamp: r.stamp(from)}
}

// parseMemory gives MemTotal in bytes; the kernel writes it in units of 1024.
func parseMemory(text string) (int64, error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 3 || words[0] != "MemTotal:" || words[2] != "kB" {
			continue
		}
		kib, err := strconv.ParseInt(words[1], 10, 64)
		if err == nil && kib > 0 && kib <= math.MaxInt64>>10 {
			return kib << 10, nil
		}
	}
	return 0, malformed("does not tell the memory of the node")
}
