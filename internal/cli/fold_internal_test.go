package cli

import "testing"

func TestFoldQuote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"fits", "  a b,c", "  a b,c"},
		{"blanks first", "  aaaaaa b,c", "  aaaaaa\n    b,c"},
		{"a wide word at its commas", "  a id=1,node=b,c", "  a id=1,\n    node=b,\n    c"},
		{"no comma", "  a bbbbbbbbbbbbbb", "  a\n    bbbbbbbbbbbbbb"},
		{"wide characters", "  集群,节点,设备", "  集群,\n    节点,\n    设备"},
	} {
		if got := foldQuote(c.text, 10, 4); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
