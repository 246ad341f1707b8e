package cli

import (
	"pciatlas/internal/apply"
	"pciatlas/internal/plan"
)

// outcomeWords say how a step ended.
var outcomeWords = map[apply.Outcome]string{
	apply.Done:        "done, and read back",
	apply.Already:     "was so already; nothing was sent",
	apply.Yours:       "for you to do",
	apply.Changed:     "not sent: the cluster has changed since the plan was made",
	apply.Refused:     "refused by Proxmox VE",
	apply.Partly:      "refused by Proxmox VE in the middle; part of it was changed",
	apply.Failed:      "failed",
	apply.Overtaken:   "sent, but somebody else changed the same at that time",
	apply.Unconfirmed: "sent, and what came of it could not be read",
	apply.NotTried:    "not tried",
}

// writeResult writes how each step ended.
func writeResult(p *printer, made *plan.Plan, result *apply.Result) {
	p.line("")
	for i := range result.Steps {
		step := &result.Steps[i]
		p.line("step %d: %s", i+1, outcomeWords[step.Outcome])
		if step.Problem != "" {
			p.line("        %s", clean(step.Problem))
		}
		if step.Pending && (step.Outcome == apply.Done || step.Outcome == apply.Already) {
			p.line("        VM %d runs: this is pending until it is stopped and started fully", made.Steps[i].VMID)
		}
	}
}
