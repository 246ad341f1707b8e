package pveapi

import (
	"fmt"
	"net/netip"
	"syscall"

	"pciatlas/internal/fleet"
)

// refuseLocal is the Control of a net.Dialer. It sees the address that a name was
// resolved to, just before each connection, so that no answer of a name server
// gets around it.
func refuseLocal(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address to connect to cannot be read: %w", err)
	}
	return fleet.CheckAddress(to.Addr(), false)
}
