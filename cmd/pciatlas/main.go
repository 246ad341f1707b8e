// Command pciatlas tells which VM of a Proxmox VE cluster names which PCI device.
package main

import (
	"context"
	"os"

	"pciatlas/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.System()))
}
