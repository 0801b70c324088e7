"""Results against each other: ratios, differences, winners."""
