package facts

import "encoding/json"

// MarshalJSON writes the value; an untold fact is left out by omitzero before
// this is asked.
func (o Opt[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// UnmarshalJSON reads a told fact. A field that is absent stays untold.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	o.Told = true
	return json.Unmarshal(data, &o.Value)
}

var readStates = [...]string{"not_asked", "ok", "partial", "filtered", "failed"}

// String gives the state's word in JSON.
func (s ReadState) String() string {
	if s < 0 || int(s) >= len(readStates) {
		return "invalid"
	}
	return readStates[s]
}

// MarshalText writes the state as a word.
func (s ReadState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of a state.
func (s *ReadState) UnmarshalText(text []byte) error {
	for i, word := range readStates {
		if word == string(text) {
			*s = ReadState(i)
			return nil
		}
	}
	return unknownStateError(text)
}

type unknownStateError []byte

func (e unknownStateError) Error() string {
	return "\"" + string(e) + "\" is not a state of a read"
}
