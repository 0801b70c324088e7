"""The numerical core: estimates, intervals and tests on plain arrays. Each says what it claims and refuses less."""
