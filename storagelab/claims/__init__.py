"""Claims: what papers say, held against the numbers that come out of the logs."""
