package cli_test

import (
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"testing"
)

// TestSignalsOfTheDemo: it outlives the reader of its log, and a terminal that is
// closed, or a request to quit, leaves none of its files behind.
func TestSignalsOfTheDemo(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		demo, said := begin(t, "Ctrl-C", "demo")
		folder := regexp.MustCompile(`/\S*pciatlas-demo-\d+`).FindString(said)
		if _, err := os.Stat(folder); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		if !signal.Ignored(syscall.SIGPIPE) {
			t.Error("a log that nobody reads ends the process")
		}
		if err := syscall.Kill(os.Getpid(), sent); err != nil {
			t.Fatal(err)
		}
		<-demo.code
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("%s: %s is there: %v", sent, folder, err)
		}
	}
}
