package hostfs

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

const (
	haResourcesFile = pveFolder + "/ha/resources.cfg"
	haRulesFile     = pveFolder + "/ha/rules.cfg"
	haGroupsFile    = pveFolder + "/ha/groups.cfg"
	jobsFile        = pveFolder + "/jobs.cfg"
	vzdumpFile      = pveFolder + "/vzdump.cron"
	replicationFile = pveFolder + "/replication.cfg"
)

// readPolicies reads what is to happen to guests without anybody asking: HA,
// backup jobs, replication. Policies that have no file are none.
func (r *reader) readPolicies(snapshot *facts.Snapshot) {
	snapshot.HA = r.readHA()
	snapshot.Backups = r.readBackups()
	snapshot.Replication = r.readReplication()
}

// policyText gives the text of a file, "" for one that is not there.
func (r *reader) policyText(file string, problems *[]facts.Problem) string {
	text, err := r.top.read(file, r.limits.MappingFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		*problems = append(*problems, problemOf(file, err))
	}
	return text
}

func (r *reader) policySections(file string, problems *[]facts.Problem) []pve.FileSection {
	sections, refused := pve.ParseSectionFile(r.policyText(file, problems))
	if refused > 0 {
		noteMalformed(file, problems)
	}
	return sections
}

func noteMalformed(file string, problems *[]facts.Problem) {
	*problems = append(*problems, problemOf(file, malformed("has parts that are not as Proxmox VE writes them")))
}

func (r *reader) readHA() facts.Read[facts.HA] {
	from := r.now()
	var problems []facts.Problem
	var ha facts.HA
	for _, section := range r.policySections(haResourcesFile, &problems) {
		vmid, ok := parseVMID(section.ID)
		kind := map[string]facts.GuestKind{"vm": facts.QEMU, "ct": facts.LXC}[section.Type]
		if !ok || kind == "" {
			noteMalformed(haResourcesFile, &problems)
			continue
		}
		resource := facts.HAResource{VMID: vmid, Kind: kind, State: "started", Group: keep(section.Properties["group"])}
		if state := section.Properties["state"]; state != "" {
			resource.State = keep(state)
		}
		ha.Resources = append(ha.Resources, resource)
	}
	for _, section := range r.policySections(haRulesFile, &problems) {
		ha.Rules = append(ha.Rules, facts.HARule{
			ID: keep(section.ID), Type: keep(section.Type), VMIDs: wordsOf(section.Properties["resources"], haRulesFile, &problems, parseResource),
			Nodes:  wordsOf(section.Properties["nodes"], haRulesFile, &problems, parseNode),
			Strict: section.Flag("strict", false), Disabled: section.Flag("disable", false),
		})
	}
	for _, section := range r.policySections(haGroupsFile, &problems) {
		ha.Rules = append(ha.Rules, facts.HARule{
			ID: keep(section.ID), Type: "group", Nodes: wordsOf(section.Properties["nodes"], haGroupsFile, &problems, parseNode),
			Strict: section.Flag("restricted", false),
		})
	}
	return facts.Read[facts.HA]{State: stateOf(problems), Value: ha, Problems: problems, Stamp: r.stamp(from)}
}

// wordsOf reads the words of a list. One that cannot be read is a problem, never
// a shorter list.
func wordsOf[T any](list, file string, problems *[]facts.Problem, parse func(string) (T, bool)) []T {
	var values []T
	for _, word := range pve.SplitList(list) {
		if value, ok := parse(word); ok {
			values = append(values, value)
		} else {
			noteMalformed(file, problems)
		}
	}
	return values
}

// parseResource gives the number of an HA resource: vm:100 or ct:101.
func parseResource(word string) (int, bool) {
	_, digits, _ := strings.Cut(word, ":")
	return parseVMID(digits)
}

// parseNode gives the name of a node that may have a priority: pve-a:2.
func parseNode(word string) (string, bool) {
	name, _, _ := strings.Cut(word, ":")
	return name, pve.ValidNodeName(name)
}

func (r *reader) readBackups() facts.Read[[]facts.BackupJob] {
	from := r.now()
	var problems []facts.Problem
	var jobs []facts.BackupJob
	for _, section := range r.policySections(jobsFile, &problems) {
		if section.Type != "vzdump" { // jobs of other kinds concern no guest
			continue
		}
		p := section.Properties
		jobs = append(jobs, facts.BackupJob{
			ID: keep(section.ID), Enabled: section.Flag("enabled", true), All: section.Flag("all", false),
			VMIDs:   wordsOf(p["vmid"], jobsFile, &problems, parseVMID),
			Exclude: wordsOf(p["exclude"], jobsFile, &problems, parseVMID),
			Pool:    keep(p["pool"]), Node: keep(p["node"]), Mode: keep(p["mode"]),
		})
	}
	for line := range strings.Lines(r.policyText(vzdumpFile, &problems)) {
		if job, ok := parseCronLine(line, &problems); ok {
			job.ID = "vzdump.cron-" + strconv.Itoa(len(jobs)+1)
			jobs = append(jobs, job)
		}
	}
	return facts.Read[[]facts.BackupJob]{State: stateOf(problems), Value: jobs, Problems: problems, Stamp: r.stamp(from)}
}

// parseCronLine reads a backup job of the older file, a line of cron: five words
// of time, the user, vzdump and its arguments.
func parseCronLine(line string, problems *[]facts.Problem) (facts.BackupJob, bool) {
	words := strings.Fields(line)
	command := slices.Index(words, "vzdump")
	if command < 0 || strings.HasPrefix(words[0], "#") {
		return facts.BackupJob{}, false
	}
	job := facts.BackupJob{Enabled: true}
	arguments := words[command+1:]
	for i := 0; i < len(arguments); i++ {
		name, isOption := strings.CutPrefix(arguments[i], "--")
		if !isOption {
			job.VMIDs = append(job.VMIDs, wordsOf(arguments[i], vzdumpFile, problems, parseVMID)...)
			continue
		}
		name, value, joined := strings.Cut(name, "=")
		if !joined && i+1 < len(arguments) {
			i++
			value = arguments[i]
		}
		switch name {
		case "all":
			job.All = value == "1"
		case "exclude":
			job.Exclude = wordsOf(value, vzdumpFile, problems, parseVMID)
		case "pool":
			job.Pool = keep(value)
		case "node":
			job.Node = keep(value)
		case "mode":
			job.Mode = keep(value)
		}
	}
	return job, true
}

func (r *reader) readReplication() facts.Read[[]facts.ReplicationJob] {
	from := r.now()
	var problems []facts.Problem
	var jobs []facts.ReplicationJob
	for _, section := range r.policySections(replicationFile, &problems) {
		guest, _, _ := strings.Cut(section.ID, "-")
		vmid, ok := parseVMID(guest)
		if !ok {
			noteMalformed(replicationFile, &problems)
			continue
		}
		jobs = append(jobs, facts.ReplicationJob{
			ID: keep(section.ID), VMID: vmid, Target: keep(section.Properties["target"]), Disabled: section.Flag("disable", false),
		})
	}
	return facts.Read[[]facts.ReplicationJob]{State: stateOf(problems), Value: jobs, Problems: problems, Stamp: r.stamp(from)}
}

// mentions are guests that a policy names and that have no file. Where the
// cluster file system lists its guests, one that it does not list was destroyed;
// in a copied tree its file may be missing.
func mentions(snapshot *facts.Snapshot, list vmListRead) facts.Read[[]facts.Mention] {
	if !snapshot.Guests.State.Answered() {
		return facts.Read[[]facts.Mention]{} // every number would be one without a file
	}
	read := facts.Read[[]facts.Mention]{State: facts.OK, Value: facts.FindMentions(snapshot)}
	read.Stamp = snapshot.Replication.Stamp
	read.Got, read.Total = len(read.Value), len(read.Value)
	if list.there() && list.err == nil && list.list.refused == 0 {
		for i := range read.Value {
			read.Value[i].Taken = facts.Told(false) // a listed one without a file is an unread VM
		}
	}
	return read
}
