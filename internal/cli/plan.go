package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pciatlas/internal/apply"
	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/plan"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesh"
)

// planOptions are what all commands take that plan a change.
type planOptions struct {
	source       source
	output       string
	yes, dryRun  bool
	force        bool
	login        string
	passwordFile string
	otp          string
}

func (o *planOptions) addFlags(cmd *cobra.Command) {
	o.source.addFlags(cmd)
	addFormat(cmd, &o.output, formatText, formatCommands, formatTerraform, formatJSON)
	flags := cmd.Flags()
	flags.BoolVar(&o.yes, "yes", false, "apply the plan without asking")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show the plan and change nothing")
	flags.StringVar(&o.login, "login", "", "apply it over the API as this `USER@REALM`, for what no token may do")
	flags.StringVar(&o.passwordFile, "password-file", "", "`file` with the user's password (or PCIATLAS_PVE_PASSWORD; asked for on a terminal)")
	flags.StringVar(&o.otp, "otp", "", "the user's second factor, a `code` of an authenticator app")
}

func (o *planOptions) addForce(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&o.force, "force", false, what)
}

// run makes the plan of an intent and shows it, or writes it down, or applies it. seen
// is the digest of a plan that somebody has seen before, "" for none.
func (o *planOptions) run(ctx context.Context, env Env, seen string, intent func(*atlas.Report) (plan.Intent, error)) error {
	output, err := checkFormat(o.output, formatText, formatCommands, formatTerraform, formatJSON)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	report, _, err := o.source.report(ctx, env, nil, true)
	if err != nil {
		return err
	}
	wanted, err := intent(report)
	if err != nil {
		return err
	}
	made, err := plan.Make(report, wanted)
	if err != nil {
		return usage("%w", err)
	}
	changed := seen != "" && made.Digest() != seen
	if output != formatText {
		if changed {
			return failed(errPlanChanged)
		}
		text, err := plan.ExportPlan(plan.Format(output), made)
		if err == nil {
			_, err = io.WriteString(env.Stdout, text)
		}
		if err != nil {
			return failed(err)
		}
		return stoppedPlan(made)
	}
	p := &printer{w: env.Stdout, width: tableLimit(env)}
	writePlan(p, made)
	if p.err != nil {
		return failed(p.err)
	}
	if err := stoppedPlan(made); err != nil {
		return err
	}
	if changed {
		return failed(errPlanChanged)
	}
	return o.confirmed(ctx, env, p, made)
}

var errPlanChanged = errors.New("the cluster is not as it was when the plan was made, so the plan is another one now; make it anew")

func (o *planOptions) check() error {
	switch {
	case o.yes && o.dryRun:
		return usage("--yes applies the plan, and --dry-run does not: give one of them")
	case o.login == "" && (o.passwordFile != "" || o.otp != ""):
		return usage("--password-file and --otp belong to --login USER@REALM")
	case o.yes && o.output != string(formatText):
		return usage("-o %s writes the plan down and changes nothing; leave --yes out", clean(o.output))
	default:
		return nil
	}
}

func stoppedPlan(made *plan.Plan) error {
	for i := range made.Notes {
		if note := &made.Notes[i]; note.Stops && note.Forceable {
			return failed(fmt.Errorf("the plan is stopped: %s If it is meant, add --force", note.Sentence))
		}
	}
	for i := range made.Notes {
		if note := &made.Notes[i]; note.Stops {
			return failed(fmt.Errorf("the plan is stopped: %s", note.Sentence))
		}
	}
	return nil
}

// confirmed applies a plan if that is wanted.
func (o *planOptions) confirmed(ctx context.Context, env Env, p *printer, made *plan.Plan) error {
	if o.dryRun || made.Writes() == 0 {
		p.line("\nNothing was changed.")
		return nil
	}
	if !o.yes && (!env.Terminal || env.Stdin == nil) {
		p.line("\nNothing was changed: add --yes to apply the plan.")
		return nil
	}
	if !o.yes {
		fmt.Fprintf(env.Stdout, "\nType %s to apply the plan: ", clean(made.Confirm))
		typed, _ := bufio.NewReader(env.Stdin).ReadString('\n')
		if strings.TrimSpace(typed) != made.Confirm {
			return failed(errors.New("that is something else; nothing was changed"))
		}
	}
	cluster, done, err := o.target(ctx, env, made)
	if err != nil {
		return err
	}
	defer done()
	result, err := apply.Run(ctx, made, cluster, apply.Options{Again: time.Second})
	if err != nil {
		return failed(err)
	}
	writeResult(p, made, &result)
	switch {
	case p.err != nil:
		return failed(p.err)
	case !result.OK():
		return failed(errors.New("the plan was not applied as a whole; see above how each step ended"))
	default:
		return nil
	}
}

// target gives what the plan is applied to: the node itself, or the API.
func (o *planOptions) target(ctx context.Context, env Env, made *plan.Plan) (cluster apply.Cluster, done func(), err error) {
	switch {
	case o.source.root != "" || o.source.from != "":
		return nil, nil, usage("a plan from files is not applied: run pciatlas on the node as root, or give --endpoint; -o writes the plan down")
	case len(o.source.endpoints) == 0:
		if o.login != "" {
			return nil, nil, usage("--login is for the API; on a node the commands run as root@pam")
		}
		return &pvesh.Node{Root: env.Root}, func() {}, nil
	case o.login == "" && made.RootOnly():
		return nil, nil, failed(errors.New("only the user root@pam may do this, never a token: add --login root@pam, or run pciatlas as root on a node"))
	}
	options, err := o.source.apiOptions(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	client, err := pveapi.New(options)
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	if o.login == "" {
		return client.Changes(), client.Close, nil
	}
	password, err := o.password(ctx, env)
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	signed, err := client.SignIn(ctx, pveapi.Login{User: o.login, Password: password, OTP: o.otp})
	if err != nil {
		client.Close()
		return nil, nil, failed(err)
	}
	return signed.Changes(), client.Close, nil
}

// password takes the password from where it is given.
func (o *planOptions) password(ctx context.Context, env Env) (string, error) {
	if o.passwordFile != "" {
		data, err := readInput(ctx, env, o.passwordFile, 4096)
		if err != nil {
			return "", failed(fmt.Errorf("read the password: %w", err))
		}
		return strings.TrimRight(string(data), "\r\n"), nil
	}
	if password := env.Getenv("PCIATLAS_PVE_PASSWORD"); password != "" {
		return password, nil
	}
	if file, ok := env.Stdin.(*os.File); ok && env.Terminal && term.IsTerminal(int(file.Fd())) {
		fmt.Fprintf(env.Stderr, "Password of %s: ", clean(o.login))
		password, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(env.Stderr)
		if err != nil {
			return "", failed(fmt.Errorf("read the password: %w", err))
		}
		return string(password), nil
	}
	return "", usage("the password of %s is missing: give --password-file FILE or PCIATLAS_PVE_PASSWORD", clean(o.login))
}

// movedOf gives the moves that findings tell, or an error that says what to give.
func movedOf(report *atlas.Report, mapping string, vmid int) ([]plan.Move, error) {
	var moves []plan.Move
	for _, moved := range findings.MovedOf(findings.Find(report), mapping, vmid) {
		moves = append(moves, plan.Move(moved))
	}
	if moves == nil {
		return nil, failed(errors.New("no finding tells where the device is now: give --node, --from-address and --to-address"))
	}
	return moves, nil
}
