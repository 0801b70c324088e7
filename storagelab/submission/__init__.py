"""What stands beside a paper when it is handed in: figures of its width, an archive, and its check."""

from storagelab.submission.appendix import appendix
from storagelab.submission.archive import bundle
from storagelab.submission.figures import Printed, printed, require_figures, save, venue
from storagelab.submission.verification import Verified, said_by, verify

__all__ = [
    "Printed",
    "Verified",
    "appendix",
    "bundle",
    "printed",
    "require_figures",
    "said_by",
    "save",
    "venue",
    "verify",
]
