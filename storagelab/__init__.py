"""storagelab: from raw storage benchmark logs to labelled datasets, figures and HTML papers."""

__version__ = "0.1.0"
