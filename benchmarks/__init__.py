"""How fast, how much memory: each figure beside a baseline that was measured in the same run."""
