package hostfs

import (
	"errors"
	"io/fs"
	"strings"

	"pciatlas/internal/facts"
)

const (
	iommuFolder     = "sys/class/iommu"
	commandLineFile = "proc/cmdline"
)

// keptParameters are the beginnings of the kernel parameters that are kept, with
// _ for -, which are the same to the kernel. The list is closed: a command line
// can hold anything, passwords for a network boot included.
var keptParameters = []string{
	"amd_iommu", "intel_iommu", "iommu", "vfio", "pcie_acs_override", // the IOMMU and what stands on it
	"pci=", "pci_stub.", "pcie_aspm", "pcie_port_pm", // the bus
	"video=", "initcall_blacklist=", "nomodeset", // who takes the boot display
	"kvm.", "kvm_amd.", "kvm_intel.",
}

// readIOMMU reads whether the node has an IOMMU and what its kernel was told
// about it. Without a command line in the tree no words are told.
func (r *reader) readIOMMU() facts.Read[facts.IOMMU] {
	from := r.now()
	names, err := r.top.list(iommuFolder, r.limits.Entries)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && len(names) == 0 {
		return failedSince[facts.IOMMU](r, from, problemOf(iommuFolder, err))
	}
	var problems []facts.Problem
	text, err := r.top.read(commandLineFile, r.limits.SysFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, problemOf(commandLineFile, err))
	}
	return facts.Read[facts.IOMMU]{
		State: stateOf(problems), Stamp: r.stamp(from), Problems: problems,
		Value: facts.IOMMU{Present: len(names) > 0, CommandLine: parseCommandLine(text)},
	}
}

// parseCommandLine gives the words of a kernel command line that are kept. Blanks
// within double quotes belong to the word; words after -- are not the kernel's.
func parseCommandLine(text string) []string {
	quoted := false
	var kept []string
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool {
		if c == '"' {
			quoted = !quoted
		}
		return !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r')
	}) {
		if word == "--" {
			break
		}
		if keepsParameter(word) {
			kept = append(kept, keep(word))
		}
	}
	return kept
}

func keepsParameter(word string) bool {
	name, value, _ := strings.Cut(strings.TrimPrefix(word, `"`), "=")
	name = strings.ReplaceAll(name, "-", "_") + "=" + value
	for _, start := range keptParameters {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}
