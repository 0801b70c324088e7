"""From the clients, counters and clocks of a run to its rate."""
