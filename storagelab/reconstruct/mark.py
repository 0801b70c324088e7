"""What every reconstructed log says of itself, in the first place where its tool leaves room for free text."""

MARK = "reconstructed from published numbers and a model of the test bed, not measured"
