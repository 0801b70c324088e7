"""The columns that the analyses add, a module a room; `storagelab.analysis.columns` looks them up."""
