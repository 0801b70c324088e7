"""Work side by side, on cores and on machines, whoever asks: the same results, in the order of the tasks."""
