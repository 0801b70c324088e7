"""Time series and events: segments, volumes, failures, messages."""
