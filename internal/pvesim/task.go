package pvesim

import (
	"fmt"
	"maps"
	"net/http"
)

// task is one piece of work that PVE did beside its answer.
type task struct {
	row     map[string]any
	outcome string
}

// addTask keeps what came of a task and gives its id, a UPID.
func (s *Server) addTask(c *call, kind, id string, err error) string {
	s.state.Lock()
	defer s.state.Unlock()
	if s.tasks == nil {
		s.tasks = map[string]*task{}
	}
	started := s.now().Unix()
	pid := 10_000 + len(s.tasks)
	upid := fmt.Sprintf("UPID:%s:%08X:%08X:%08X:%s:%s:%s:", c.node.Name, pid, started*100&0xffffffff, started, kind, id, c.subject)
	outcome := "OK"
	if err != nil {
		outcome = firstLine(err.Error())
	}
	s.tasks[upid] = &task{outcome: outcome, row: map[string]any{
		"upid": upid, "node": c.node.Name, "pid": pid, "pstart": started * 100 & 0xffffffff, "starttime": started, "type": kind, "id": id,
		"user": c.subject,
	}}
	return upid
}

// taskStatus serves GET /nodes/{node}/tasks/{upid}/status. All tasks have ended.
func (c *call) taskStatus() (any, error) {
	c.server.state.Lock()
	found := c.server.tasks[c.params["upid"]]
	c.server.state.Unlock()
	if found == nil || found.row["node"] != c.node.Name {
		return nil, &apiError{status: http.StatusBadRequest, message: "no such task\n"}
	}
	if found.row["user"] != c.subject {
		if refused := c.needAny("/nodes/"+c.node.Name, "Sys.Audit"); refused != nil {
			return nil, refused
		}
	}
	row := map[string]any{"status": "stopped", "exitstatus": found.outcome}
	maps.Copy(row, found.row)
	return row, nil
}
