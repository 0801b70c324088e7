"""What a dataset says about a claim: its quantity, the region that would support it, and a verdict."""
