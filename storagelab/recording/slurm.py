"""A campaign as an array of SLURM: a script for sbatch in which each task makes one run, one after the other.

Documented at https://slurm.schedmd.com/job_array.html: ``%1`` lets one task run at a time, in the order of their
numbers.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from storagelab.errors import SidecarError
from storagelab.recording import randomised_order
from storagelab.study.campaign_plan import Campaign


def script(folder: Path, plan: Campaign) -> str:
    """Return the script.

    Raises
    ------
    SidecarError
        If a pilot is to decide on the repeats: an array is as long as it is when it is handed in.
    """
    if plan.repeats == "auto":
        raise SidecarError(str(folder), "an array has a fixed number of runs: say --repeats N instead of auto")
    count = sum(1 for _ in randomised_order.runs(plan, plan.repeats))
    own = "".join(f"#SBATCH {line}\n" for line in plan.slurm)
    return (
        "#!/bin/bash\n"
        f"#SBATCH --job-name={folder.resolve().name}\n"
        f"#SBATCH --array=1-{count}%1\n"
        f"#SBATCH --chdir={Path.cwd()}\n"
        f"{own}"
        f"# {count} runs; handed in again, it makes those that are missing.\n"
        f'exec storagelab campaign {shlex.quote(str(folder))} --repeats {plan.repeats} --run "$SLURM_ARRAY_TASK_ID"\n'
    )
