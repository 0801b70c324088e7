"""The repetitions of one point: means, intervals, percentiles, the plan of a campaign."""
