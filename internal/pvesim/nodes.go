package pvesim

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"
)

// Figures of a node that nothing in the World depends on.
const (
	nodeMemory   = 67108864000
	nodeDisk     = 101204873216
	nodeDiskUsed = 12884901888
	nodeCPUs     = 16
)

func (n *Node) cpus() int { return cmp.Or(n.CPUs, nodeCPUs) }

// nodes serves GET /nodes: all nodes to everybody, figures to who may audit the
// node.
func (c *call) nodes() (any, error) {
	rows := []map[string]any{}
	for i := range c.world.Nodes {
		node := &c.world.Nodes[i]
		row := c.nodeRow(node)
		row["ssl_fingerprint"] = cmp.Or(node.Fingerprint, madeUpFingerprint(node.Name))
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

func (c *call) nodeRow(n *Node) map[string]any {
	row := map[string]any{"id": "node/" + n.Name, "node": n.Name, "type": "node", "status": "unknown"}
	if n.NoStatistics {
		return row
	}
	row["status"], row["level"] = "online", ""
	if n.Offline {
		row["status"] = "offline"
	}
	if !c.access.has(c.subject, "/nodes/"+n.Name, "Sys.Audit") {
		return row
	}
	memory := cmp.Or(n.Memory, nodeMemory)
	row["maxcpu"], row["maxmem"], row["maxdisk"] = n.cpus(), memory, int64(nodeDisk)
	if !n.Offline {
		row["cpu"], row["mem"], row["disk"], row["uptime"] = 0.0321, memory*8/25, int64(nodeDiskUsed), 864000
	}
	return row
}

// madeUpFingerprint gives every node name a fingerprint of its own.
func madeUpFingerprint(name string) string { return colonHex(sha256.Sum256([]byte("pvesim " + name))) }

// colonHex writes a fingerprint as PVE does, AA:BB:… in full.
func colonHex(sum [sha256.Size]byte) string {
	parts := make([]string, 0, len(sum))
	for _, b := range sum {
		parts = append(parts, fmt.Sprintf("%02X", b))
	}
	return strings.Join(parts, ":")
}
