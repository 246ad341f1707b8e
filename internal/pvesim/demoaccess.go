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
	// DemoTokenChanging may also change mappings and the mapped devices of VMs.
	// Raw addresses are for the user root@pam alone.
	DemoTokenChanging = "keeper@pve!demo=" + demoSecret

	// DemoRootPassword is that of root@pam. DemoRootCode is its second factor where
	// it has one, which is in the office.
	DemoRootPassword = "made-up-root"
	DemoRootCode     = "123456"

	demoSecret = "5ec4e7ed-0000-4000-8000-00000000de40" //nolint:gosec // a made-up secret of the demo cluster
)

const demoUserCfg = `user:root@pam:1:0::::::
user:pciatlas@pve:1:0::::reads the inventory::
user:newcomer@pve:1:0::::::
user:keeper@pve:1:0::::changes mappings::
token:pciatlas@pve!demo:0:0::
token:pciatlas@pve!separated:0:1::
token:newcomer@pve!first:0:0::
token:keeper@pve!demo:0:0::

role:PCIAtlas:Mapping.Audit,Sys.Audit,VM.Audit:
role:PCIKeeper:Mapping.Audit,Mapping.Modify,Mapping.Use,Sys.Audit,VM.Audit,VM.Config.HWType:

acl:1:/:pciatlas@pve:PCIAtlas:
acl:1:/:keeper@pve:PCIKeeper:
`

func demoSecrets() map[string]string {
	return map[string]string{
		"pciatlas@pve!demo": demoSecret, "newcomer@pve!first": demoSecret, "pciatlas@pve!separated": demoSecret,
		"keeper@pve!demo": demoSecret,
	}
}

func demoAccounts(code string) map[string]Account {
	return map[string]Account{rootUser: {Password: DemoRootPassword, Code: code}}
}
