package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/plan"
)

// contentOptions are the content of a mapping.
type contentOptions struct {
	entries       []string
	description   string
	mdev          bool
	liveMigration bool
	unset         []string
}

func (o *contentOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&o.entries, "map", nil,
		"an `entry` as Proxmox VE writes it: id=10de:2204,iommugroup=14,node=pve-a,path=0000:01:00 (repeatable)")
	flags.StringVar(&o.description, "description", "", "a `text` for people")
	flags.BoolVar(&o.mdev, "mdev", false, "for mediated devices")
	flags.BoolVar(&o.liveMigration, "live-migration-capable", false, "declare that VMs with it can move while they run")
}

// into puts what was given into an intent.
func (o *contentOptions) into(cmd *cobra.Command, intent *plan.Intent) {
	if cmd.Flags().Changed("map") {
		intent.Entries = o.entries
	}
	if cmd.Flags().Changed("description") {
		intent.Description = &o.description
	}
	if cmd.Flags().Changed("mdev") {
		intent.Mdev = &o.mdev
	}
	if cmd.Flags().Changed("live-migration-capable") {
		intent.LiveMigration = &o.liveMigration
	}
	intent.Unset = o.unset
}

func newMappingCreate(env Env) *cobra.Command {
	var options planOptions
	var content contentOptions
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a mapping",
		Long: `Creates a mapping with the entries that are given. Without --map, the mapping of
that name which ` + "`pciatlas mapping suggest`" + ` proposes is created.`,
		Example: "  pciatlas mapping create rtx-a4000\n  pciatlas mapping create gpu --map id=10de:2204,iommugroup=14,node=pve-a,path=0000:01:00 --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return options.run(cmd.Context(), env, "", func(report *atlas.Report) (plan.Intent, error) {
				intent := plan.Intent{Kind: plan.Create, Mapping: args[0], Force: options.force}
				content.into(cmd, &intent)
				if intent.Entries != nil {
					return intent, nil
				}
				return suggestedIntent(report, intent)
			})
		},
	}
	options.addFlags(cmd)
	content.addFlags(cmd)
	options.addForce(cmd, "go on although an entry does not fit the hardware")
	return cmd
}

// suggestedIntent takes the entries of the suggestion of that name.
func suggestedIntent(report *atlas.Report, intent plan.Intent) (plan.Intent, error) {
	suggestions := plan.Suggest(report)
	for i := range suggestions.Mappings {
		suggested := &suggestions.Mappings[i]
		if suggested.Mapping.ID != intent.Mapping {
			continue
		}
		if suggested.Changes {
			intent.Kind = plan.Change
		} else if intent.Mdev == nil {
			intent.Mdev = suggested.Mapping.Mdev
		}
		for _, entry := range suggested.Mapping.Entries {
			intent.Entries = append(intent.Entries, entry.String())
		}
		return intent, nil
	}
	return intent, usage("no mapping %s is suggested: give its entries with --map", clean(intent.Mapping))
}

func newMappingSet(env Env) *cobra.Command {
	var options planOptions
	var content contentOptions
	cmd := &cobra.Command{
		Use:   "set NAME",
		Short: "Change a mapping",
		Long: `Changes what is given of a mapping and keeps the rest. --map takes all entries, not
only new ones. While something refers to the mapping, another set of devices
needs --force.`,
		Example: "  pciatlas mapping set gpu --description 'cards of the lab'\n  pciatlas mapping set gpu --unset mdev",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return options.run(cmd.Context(), env, "", func(*atlas.Report) (plan.Intent, error) {
				intent := plan.Intent{Kind: plan.Change, Mapping: args[0], Force: options.force}
				content.into(cmd, &intent)
				return intent, nil
			})
		},
	}
	options.addFlags(cmd)
	content.addFlags(cmd)
	cmd.Flags().StringSliceVar(&content.unset, "unset", nil, "remove `properties`: description, mdev, live-migration-capable")
	options.addForce(cmd, "go on although VMs refer to the mapping, or an entry does not fit")
	return cmd
}

func newMappingDelete(env Env) *cobra.Command {
	var options planOptions
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a mapping",
		Long: `Deletes a mapping. Proxmox VE does so even while VMs refer to it; here that takes
--force, and so does that not everything which may refer to it was read.`,
		Example: "  pciatlas mapping delete old-quadro",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return options.run(cmd.Context(), env, "", func(*atlas.Report) (plan.Intent, error) {
				return plan.Intent{Kind: plan.Delete, Mapping: args[0], Force: options.force}, nil
			})
		},
	}
	options.addFlags(cmd)
	options.addForce(cmd, "go on although something refers to the mapping")
	return cmd
}

func newMappingConvert(env Env) *cobra.Command {
	var options planOptions
	var mapping string
	var slots []string
	cmd := &cobra.Command{
		Use:   "convert VMID...",
		Short: "Let VMs name mappings where they name addresses",
		Long: `Rewrites hostpci lines with an address so that they name a mapping, and keeps all
other options and their order. The mapping is one that gives exactly the same
functions on the node; if there is none, one is created. --mapping takes another
one, and says what the VM may get then.

Only the user root@pam may take an address out of a line: run this as root on a
node, or over the API with --login root@pam.`,
		Example: "  pciatlas mapping convert 101\n  pciatlas mapping convert 101 102 --mapping rtx-a4000 --yes",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			vms, err := vmNumbers(args)
			if err != nil {
				return err
			}
			return options.run(cmd.Context(), env, "", func(*atlas.Report) (plan.Intent, error) {
				return plan.Intent{Kind: plan.Convert, Mapping: mapping, VMs: vms, Slots: slots, Force: options.force}, nil
			})
		},
	}
	options.addFlags(cmd)
	cmd.Flags().StringVar(&mapping, "mapping", "", "`name` of the mapping to use, or to create")
	cmd.Flags().StringSliceVar(&slots, "slot", nil, "only these `lines`, for example hostpci0")
	options.addForce(cmd, "go on although the VM would get other functions, or an entry does not fit")
	return cmd
}

func vmNumbers(args []string) ([]int, error) {
	vms := make([]int, len(args))
	for i, text := range args {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 {
			return nil, usage("%q is no number of a VM", clean(text))
		}
		vms[i] = number
	}
	return vms, nil
}

func newMappingFix(env Env) *cobra.Command {
	var options planOptions
	var move plan.Move
	cmd := &cobra.Command{
		Use:   "fix NAME|VMID",
		Short: "Write the new address of a device that has moved",
		Long: `Corrects the entry of a mapping, or the lines of a VM, when a device has another
address than before. Where the device is now is taken from the finding
device-moved, or given with --node, --from-address and --to-address.`,
		Example: "  pciatlas mapping fix gpu\n  pciatlas mapping fix 101 --node pve-a --from-address 0000:01:00 --to-address 0000:02:00",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return options.run(cmd.Context(), env, "", func(report *atlas.Report) (plan.Intent, error) {
				return fixIntent(report, args[0], move, options.force)
			})
		},
	}
	options.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&move.Node, "node", "", "`name` of the node on which it has moved")
	flags.StringVar(&move.From, "from-address", "", "the old `address`, as the entry or the line has it")
	flags.StringVar(&move.To, "to-address", "", "the new `address`")
	options.addForce(cmd, "go on although the device is another one, or VMs refer to the mapping")
	return cmd
}

func fixIntent(report *atlas.Report, what string, move plan.Move, force bool) (plan.Intent, error) {
	intent := plan.Intent{Kind: plan.Fix, Force: force}
	vmid, err := strconv.Atoi(what)
	if err == nil {
		intent.VMs = []int{vmid}
	} else {
		intent.Mapping = what
	}
	given := move.Node != "" || move.From != "" || move.To != ""
	switch {
	case given && (move.Node == "" || move.From == "" || move.To == ""):
		return intent, usage("--node, --from-address and --to-address belong together")
	case given:
		intent.Moves = []plan.Move{move}
		return intent, nil
	}
	intent.Moves, err = movedOf(report, intent.Mapping, vmid)
	return intent, err
}

func newMappingApply(env Env) *cobra.Command {
	var options planOptions
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "Apply a plan that was written down with -o json",
		Long: `Makes the plan of the file anew, and applies it if the cluster is still as it was
when the plan was written down. The file may come from another machine or from
the console: on a node, as root, this does what no token may do.`,
		Example: "  pciatlas mapping convert 101 -o json > plan.json\n  pciatlas mapping apply plan.json --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			written, err := readPlan(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			return options.run(cmd.Context(), env, written.Digest, func(*atlas.Report) (plan.Intent, error) { return written.Intent, nil })
		},
	}
	options.addFlags(cmd)
	return cmd
}

// maxPlan is how large a plan may be that was written down.
const maxPlan = 4 << 20

func readPlan(ctx context.Context, env Env, file string) (*plan.Outline, error) {
	data, err := readInput(ctx, env, file, maxPlan)
	if err != nil {
		return nil, failed(fmt.Errorf("read the plan: %w", err))
	}
	var written plan.Outline
	if err := json.Unmarshal(data, &written); err != nil || written.Digest == "" || written.Intent.Kind == "" {
		return nil, failed(errors.New(clean(file) + " is no plan: write one down with -o json"))
	}
	return &written, nil
}
