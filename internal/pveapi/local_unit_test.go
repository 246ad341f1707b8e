package pveapi

import "testing"

func TestRefuseLocalAddresses(t *testing.T) {
	for address, refused := range map[string]bool{
		"127.0.0.1:8006": true, "[::1%lo]:8006": true, "[fe80::1%eth0]:8006": true, "[::]:8006": true, "0.0.0.0:8006": true,
		"224.0.0.1:8006": true, "[ff02::1]:8006": true, "[64:ff9b::7f00:1]:8006": true, "nonsense": true,
		"192.0.2.1:8006": false, "10.0.0.1:8006": false, "[2001:db8::1]:8006": false, "[fd00::1]:8006": false,
	} {
		if err := refuseLocal("tcp", address, nil); (err != nil) != refused {
			t.Errorf("%s: %v", address, err)
		}
	}
}
