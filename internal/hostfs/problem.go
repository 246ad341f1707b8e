package hostfs

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"pciatlas/internal/facts"
)

// problem makes a problem. Its message is a sentence of its own that begins with
// the subject: whoever shows it may show nothing else.
func problem(code, subject, predicate string) facts.Problem {
	subject = printable(subject)
	return facts.Problem{Code: code, Subject: subject, Message: subject + " " + predicate + "."}
}

// problemOf translates an error of an access below the root. The message says
// what to do where something can be done; it holds no text of a file.
func problemOf(subject string, err error) facts.Problem {
	code, predicate := explain(subject, err)
	return problem(code, subject, predicate)
}

// leadsNowhere is the problem of a link whose target is not there.
func leadsNowhere(subject string) facts.Problem {
	return problem(facts.ProblemMalformed, subject, "is a link that leads nowhere")
}

func explain(subject string, err error) (code, predicate string) {
	var kind *kindError
	var errno syscall.Errno
	var content malformed
	switch {
	case errors.Is(err, fs.ErrPermission):
		return facts.ProblemPermission, "may not be read. " + howToGetRights(subject)
	case errors.Is(err, fs.ErrNotExist):
		return facts.ProblemMissing, "is not there"
	case errors.Is(err, errTooLarge):
		return facts.ProblemTooLarge, "is larger than any such file can be, so it was not read"
	case errors.Is(err, errManyEntries):
		return facts.ProblemLimit, "holds more entries than are read; the rest was not looked at"
	case errors.As(err, &kind):
		return facts.ProblemMalformed, kind.Error()
	case leadsOut(err):
		return facts.ProblemOutside, "is behind a link that leads out of the root, so it was not read"
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG):
		return facts.ProblemMalformed, "is behind links that do not come to an end"
	case errors.Is(err, syscall.ENOTDIR):
		return facts.ProblemMalformed, "is, or is below, something that is not a folder"
	case errors.Is(err, syscall.ENOTCONN), errors.Is(err, syscall.ECONNABORTED):
		return facts.ProblemIO, "is on a file system that has stopped. For etc/pve, see: systemctl status pve-cluster"
	case errors.As(err, &errno):
		return facts.ProblemIO, "cannot be read: " + errno.Error()
	case errors.As(err, &content):
		return facts.ProblemMalformed, content.Error()
	default:
		return facts.ProblemIO, "cannot be read"
	}
}

// malformed is an error about the content of a file. Its text continues a
// sentence that begins with the file's name and repeats nothing of the content.
type malformed string

// Error implements error.
func (m malformed) Error() string { return string(m) }

func howToGetRights(subject string) string {
	if subject == pveFolder || strings.HasPrefix(subject, pveFolder+"/") {
		return "Only root and the group www-data may read /etc/pve: run this as root (sudo)"
	}
	return "Run this as root (sudo)"
}

// printable makes a name of a file fit to be shown: file names may hold any byte.
func printable(name string) string {
	for _, c := range name {
		if !strconv.IsPrint(c) || c == '\uFFFD' {
			quoted := strconv.QuoteToGraphic(name)
			return quoted[1 : len(quoted)-1]
		}
	}
	return name
}

// maxRemarks is how many problems of one kind a read lists one by one.
const maxRemarks = 20

// remarks collects problems that do not matter one by one, and counts on when
// there are too many.
type remarks struct {
	list []facts.Problem
	more int
}

func (r *remarks) add(p facts.Problem) {
	if len(r.list) < maxRemarks {
		r.list = append(r.list, p)
	} else {
		r.more++
	}
}

// problems gives the list, with the number of what is not in it at its end.
func (r *remarks) problems() []facts.Problem {
	if r.more == 0 {
		return r.list
	}
	return append(slices.Clip(r.list), facts.Problem{
		Code:    facts.ProblemLimit,
		Message: "There are " + strconv.Itoa(r.more) + " more problems of this kind.",
	})
}
