package test

import (
	"os"
	"regexp"
	"testing"
)

// TestDocsPictures: every picture that README.md shows is there, in both themes, and light enough for a slow line.
func TestDocsPictures(t *testing.T) {
	const heaviest = 150_000
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`src(?:set)?="(docs/pictures/[a-z]+-(light|dark)\.png)"`).FindAllSubmatch(text, -1)
	themes := map[string]int{}
	for _, picture := range shown {
		themes[string(picture[2])]++
		info, err := os.Stat("../" + string(picture[1]))
		if err != nil {
			t.Error(err)
		} else if info.Size() > heaviest {
			t.Errorf("%s has %d bytes, more than %d", picture[1], info.Size(), heaviest)
		}
	}
	if themes["light"] == 0 || themes["light"] != themes["dark"] {
		t.Errorf("README.md shows %d pictures in light and %d in dark", themes["light"], themes["dark"])
	}
}
