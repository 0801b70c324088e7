"""What one types at a prompt: the accessor ``storage`` of xarray's datasets and trees, and how it shows itself.

Importing this registers it and loads nothing but xarray; a verb loads what it needs when it is called.
"""

from storagelab.interactive.accessor import NodeStorage, StudyStorage

__all__ = ["NodeStorage", "StudyStorage"]
