package fleet

import "time"

// ActorKind says what kind of actor did something.
type ActorKind string

// The kinds of actors.
const (
	Person ActorKind = "person" // an administrator with a session
	Token  ActorKind = "token"  // an API token; Actor names it and its owner
	System ActorKind = "system" // the server itself or its command line
	Nobody ActorKind = "nobody" // a caller who has not proven who they are
)

// Result says how an action ended.
type Result string

// The results of an action.
const (
	Done    Result = "done"
	Refused Result = "refused" // the rules did not allow it; nothing was changed
	Failed  Result = "failed"  // it was allowed and did not succeed
)

// AuditEntry says who did what, when, from where and with what result. Entries
// are only ever appended.
type AuditEntry struct {
	ID        int64 // ascending; 0 until it is stored
	At        time.Time
	Actor     string // "" for nobody
	ActorKind ActorKind
	Address   string // where the request came from; "" for the system
	RequestID string // "" if no request was the cause
	Action    string // object.verb, for example cluster.create
	Object    string // kind and name, for example "cluster lab"
	// Before and After are the values that the action changed, nil where there
	// were none. They never hold secrets, not even hashed or masked ones.
	Before, After map[string]any
	Result        Result
	Reason        string // why it was refused or failed, "" when done
}
