"""What CMSSW says about a job: framework job reports, storage accounting, time reports."""

from __future__ import annotations

from storagelab.parsers.cmssw import fwjr, job_report, time_report
from storagelab.parsers.model import Parser

PARSERS: tuple[Parser, ...] = (job_report, fwjr, time_report)
