"""What a byte costs: traffic, copies, CPU, time of jobs."""
