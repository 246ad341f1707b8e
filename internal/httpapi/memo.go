package httpapi

import (
	"sync"
	"time"
)

// memo keeps what is dear to compute for a short time. Who asks for the same at
// the same time waits for the one who computes it. A failure is not kept.
type memo[K comparable, V any] struct {
	now  func() time.Time
	age  time.Duration     // how long a value is kept
	room int               // how much the kept values may hold together, in bytes
	size func(value V) int // in bytes; a guess will do

	mu      sync.Mutex
	entries map[K]*memoEntry[V]
	order   []K // the oldest first
	used    int
}

type memoEntry[V any] struct {
	at    time.Time
	size  int
	value func() (V, error)
}

// get gives the value of a key, which it computes if it is not kept.
func (m *memo[K, V]) get(key K, compute func() (V, error)) (V, error) {
	m.mu.Lock()
	m.sweep()
	entry := m.entries[key]
	if entry == nil {
		entry = &memoEntry[V]{at: m.now()}
		entry.value = sync.OnceValues(func() (V, error) { return m.fill(key, entry, compute) })
		if m.entries == nil {
			m.entries = map[K]*memoEntry[V]{}
		}
		m.entries[key] = entry
		m.order = append(m.order, key)
	}
	m.mu.Unlock()
	return entry.value()
}

// fill computes a value and decides whether it is kept.
func (m *memo[K, V]) fill(key K, entry *memoEntry[V], compute func() (V, error)) (value V, err error) {
	done := false
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.entries[key] != entry {
			return
		}
		if !done || err != nil {
			m.drop(key)
			return
		}
		entry.size = m.size(value)
		m.used += entry.size
		for m.used > m.room && len(m.order) > 0 {
			m.drop(m.order[0])
		}
	}()
	value, err = compute()
	done = true
	return value, err
}

// sweep drops what is too old, or from a time that has not come yet.
func (m *memo[K, V]) sweep() {
	now := m.now()
	for len(m.order) > 0 {
		age := now.Sub(m.entries[m.order[0]].at)
		if age >= 0 && age < m.age {
			return
		}
		m.drop(m.order[0])
	}
}

func (m *memo[K, V]) drop(key K) {
	m.used -= m.entries[key].size
	delete(m.entries, key)
	for i := range m.order {
		if m.order[i] == key {
			m.order = append(m.order[:i], m.order[i+1:]...)
			return
		}
	}
}
