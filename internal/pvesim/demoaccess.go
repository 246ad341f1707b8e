package pvesim

// Tokens of the demo cluster, USER@REALM!ID=SECRET. Their secrets are made up.
const (
	// DemoToken sees everything with the least role that does.
	DemoToken = "pciatlas@pve!demo=" + demoSecret
	// DemoTokenWithoutRights belongs to a user without any rights.
	DemoTokenWithoutRights = "newcomer@pve!first=" + demoSecret
	// DemoTokenSeparated belongs to the user of DemoToken, but is privilege
	// separated and has no rights of its own.
	DemoTokenSeparated = "pciatlas@pve!separated=" + demoSecret

	demoSecret = "5ec4e7ed-0000-4000-8000-00000000de40" //nolint:gosec // a made-up secret of the demo cluster
)

const demoUserCfg = `user:root@pam:1:0::::::
user:pciatlas@pve:1:0::::reads the inventory::
user:newcomer@pve:1:0::::::
token:pciatlas@pve!demo:0:0::
token:pciatlas@pve!separated:0:1::
token:newcomer@pve!first:0:0::

role:PCIAtlas:Mapping.Audit,Sys.Audit,VM.Audit:

acl:1:/:pciatlas@pve:PCIAtlas:
`

func demoSecrets() map[string]string {
	return map[string]string{
		"pciatlas@pve!demo": demoSecret, "newcomer@pve!first": demoSecret, "pciatlas@pve!separated": demoSecret,
	}
}
