package pveapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLookout: while one question is under way, all others wait for the next, and
// that one serves them all.
func TestLookout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, questions := newLookout(), 0
		ask := func(ctx context.Context) (guestList, error) {
			questions++
			select {
			case <-time.After(time.Second):
				return guestList{to: time.Now()}, nil
			case <-ctx.Done():
				return guestList{}, ctx.Err()
			}
		}
		begin := time.Now()
		for range 50 {
			go func() {
				asked := time.Now()
				list, err := looks.after(t.Context(), ask)
				if err != nil || list.to.Sub(asked) < time.Second {
					t.Errorf("%v: a list of %v after the call", err, list.to.Sub(asked))
				}
			}()
			<-time.After(10 * time.Millisecond)
		}
		synctest.Wait()
		<-time.After(10 * time.Second)
		if questions != 2 || time.Since(begin) > time.Minute {
			t.Errorf("%d questions", questions)
		}
	})
}

// TestLookoutGivenUp: who gives up while asking answers for nobody, and a failure
// is shared by those who waited.
func TestLookoutGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := newLookout()
		leaver, leave := context.WithCancel(t.Context())
		go func() {
			_, err := looks.after(leaver, func(ctx context.Context) (guestList, error) {
				<-ctx.Done()
				return guestList{}, ctx.Err()
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the leaver got %v", err)
			}
		}()
		synctest.Wait()
		failure, questions := errors.New("refused"), 0
		for range 3 {
			go func() {
				_, err := looks.after(t.Context(), func(context.Context) (guestList, error) {
					questions++
					return guestList{}, failure
				})
				if !errors.Is(err, failure) {
					t.Errorf("a waiter got %v", err)
				}
			}()
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		if questions != 1 {
			t.Errorf("%d questions", questions)
		}
	})
}
