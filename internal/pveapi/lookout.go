package pveapi

import (
	"context"
	"sync/atomic"
	"time"

	"pciatlas/internal/facts"
)

// guestList is a list of guests, sorted by number, and when it was complete.
type guestList struct {
	guests []facts.Guest
	to     time.Time
}

// lookout lets reads that end at about the same time share a look at where the
// guests are now. An answer serves all who asked before its question was put.
type lookout struct {
	asked atomic.Int64  // how many asked so far
	turn  chan struct{} // held by the one who puts the question

	// What follows belongs to the holder of turn.
	served int64 // those who asked up to here may use the answer
	list   guestList
	err    error
}

func newLookout() *lookout { return &lookout{turn: make(chan struct{}, 1)} }

// after gives a list that was asked for after the call began.
func (l *lookout) after(ctx context.Context, ask func(context.Context) (guestList, error)) (guestList, error) {
	ticket := l.asked.Add(1)
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return guestList{}, ctx.Err()
	}
	if l.served >= ticket {
		return l.list, l.err
	}
	served := l.asked.Load()
	list, err := ask(ctx)
	if ctx.Err() == nil { // who gives up answers for nobody else
		l.served, l.list, l.err = served, list, err
	}
	return list, err
}
