"""What stands beside a paper when it is handed in: an archive that others can check, and the check itself."""

from storagelab.submission.appendix import appendix
from storagelab.submission.archive import bundle
from storagelab.submission.verification import Verified, said_by, verify

__all__ = ["Verified", "appendix", "bundle", "said_by", "verify"]
