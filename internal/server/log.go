package server

import (
	"io"
	"log/slog"

	"pciatlas/internal/config"
)

// NewLogger makes the log that the settings ask for.
func NewLogger(w io.Writer, settings *config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.LogLevel}
	if settings.LogFormat == config.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
