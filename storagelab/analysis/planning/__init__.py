"""Before the campaign: how many runs, in which order, and when to stop; and whether the order was kept."""
