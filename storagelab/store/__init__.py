"""A store of many logs: rows of parquet in chunks, added to log by log, read lazily and in bounded memory."""

from storagelab.store.append import Appended, append
from storagelab.store.layout import is_store
from storagelab.store.lazy import Store, open_store

__all__ = ["Appended", "Store", "append", "is_store", "open_store"]
