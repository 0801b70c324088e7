"""A project of one's own: made from templates in an empty folder, and its lists of studies kept true."""

from storagelab.project.listing import renew
from storagelab.project.making import make

__all__ = ["make", "renew"]
