package hostfs

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// visitOne reads and reduces one VM's file. The error is that of opening the
// folder it is in.
func (r *reader) visitOne(folder *folder, err error, at place) visit {
	from := r.now()
	var text string
	if err == nil {
		text, err = folder.read(fileName(at.vmid), r.limits.VMFile)
	}
	if err != nil {
		config := failedSince[facts.VMConfig](r, from, problemOf(at.file(), err))
		return visit{place: at, vanished: errors.Is(err, fs.ErrNotExist), config: &config}
	}
	config := reduce(text)
	stamp := r.stamp(from)
	config.Snapshots.Stamp = stamp
	return visit{place: at, config: &configRead{State: facts.OK, Value: config, Stamp: stamp}}
}

// reduce makes facts of the text of a VM's file. facts.ReduceVM chooses what may
// leave; what it keeps is copied, so that nothing holds on to the text.
func reduce(text string) facts.VMConfig {
	config := pve.ParseVMConfig(text)
	reduced := facts.ReduceVM(config.Items())
	kept := keeper{texts: make([]*string, 0, 1+3*len(reduced.Items))}
	kept.items(reduced.Items)
	kept.add(&reduced.Digest)
	reduced.Dropped = kept.dropped(config.Dropped)
	reduced.Repeated = kept.repeated(config.Repeated)
	reduced.Snapshots = facts.Read[[]facts.VMSnapshot]{
		State: facts.OK, Value: kept.snapshots(config.Snapshots),
	}
	kept.copy()
	return reduced
}

// maxDropped is how many dropped lines that are not about hostpci a
// configuration lists; a file of anything else is nothing but such lines.
const maxDropped = 100

func (k *keeper) dropped(lines []pve.DroppedLine) []pve.DroppedLine {
	others := 0
	list := slices.DeleteFunc(lines, func(line pve.DroppedLine) bool {
		if !aboutHostPCI(line.Key) {
			others++
		}
		return !aboutHostPCI(line.Key) && others > maxDropped
	})
	list = slices.Clip(slices.Clone(list))
	for i := range list {
		line := &list[i]
		k.add(&line.Section, &line.Key, &line.Text, &line.Reason)
	}
	return list
}

// maxRepeated is how many repeated keys a configuration lists; which one counts
// is not told by them.
const maxRepeated = 1000

func (k *keeper) repeated(keys []pve.RepeatedKey) []pve.RepeatedKey {
	list := slices.DeleteFunc(keys, func(key pve.RepeatedKey) bool {
		return !aboutHostPCI(key.Key) && !facts.KeepsKey(key.Key)
	})
	list = slices.Clone(list[:min(len(list), maxRepeated)])
	for i := range list {
		k.add(&list[i].Section, &list[i].Key)
	}
	return list
}

func aboutHostPCI(key string) bool { return strings.HasPrefix(key, "hostpci") }

// snapshots gives the name of each snapshot and its hostpci lines.
func (k *keeper) snapshots(sections []pve.NamedSection) []facts.VMSnapshot {
	list := make([]facts.VMSnapshot, len(sections))
	for i, section := range sections {
		snapshot := &list[i]
		snapshot.Name = section.Name
		k.add(&snapshot.Name)
		for _, line := range section.Section {
			if _, ok := pve.ParseSlotKey(line.Key); ok {
				snapshot.HostPCI = append(snapshot.HostPCI, line)
			}
		}
		for j := range snapshot.HostPCI {
			k.add(&snapshot.HostPCI[j].Key, &snapshot.HostPCI[j].Value)
		}
	}
	return list
}

// items takes keys and values in; the values get new places.
func (k *keeper) items(items []pve.Item) {
	values := make([]string, 0, 2*len(items))
	own := func(value **string) {
		if *value != nil {
			values = append(values, **value)
			*value = &values[len(values)-1]
			k.add(*value)
		}
	}
	for i := range items {
		k.add(&items[i].Key)
		own(&items[i].Current)
		own(&items[i].Pending)
	}
}
