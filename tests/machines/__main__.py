"""Rebuild papers under simulated machines, all on the first and one on each other, and say which output differs."""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.machines import building, differences, pipeline, variants
from tests.machines.factors import factors
from tests.machines.variants import EMULATOR, Variant

ROOT = Path(__file__).parent.parent.parent


def main() -> None:
    asked = arguments()
    with tempfile.TemporaryDirectory(prefix="storagelab-machines-") as name:
        scratch = Path(asked.keep or name).resolve()
        scratch.mkdir(parents=True, exist_ok=True)
        stages = pipeline.stages((ROOT / "dvc.yaml").read_text(encoding="utf-8"))
        chosen = chosen_variants(asked, stages, scratch)
        for variant in chosen:
            say(str(variant))
        if asked.list:
            return
        absent = [
            path
            for stage in pipeline.wanted(stages, asked.studies)
            for path in stage.makes
            if not (asked.reference / path).exists()
        ]
        if absent:
            sys.exit(f"machines: {asked.reference / absent[0]} is missing: run `make reports` first")
        sys.exit(compared(chosen, asked, stages, scratch))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.machines", description=__doc__)
    parser.add_argument(
        "--studies", nargs="+", default=[], help="only these; what they take from others is not rebuilt"
    )
    parser.add_argument("--variants", nargs="+", help="only these, as --list names them")
    parser.add_argument("--whole", action="store_true", help="all studies on all machines, not only on the first")
    parser.add_argument("--each", action="store_true", help="every level alone, to find which it is")
    parser.add_argument(
        "--python",
        nargs="+",
        default=[],
        help="other Pythons; what they lack of requirements/reports.txt is installed for them",
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument("--reference", type=Path, default=ROOT, help="root of the outputs to compare with")
    parser.add_argument("--keep", help="folder in which to keep the copies")
    parser.add_argument("--list", action="store_true", help="only say what would be tried")
    return parser.parse_args()


def chosen_variants(asked: argparse.Namespace, stages: Sequence[pipeline.Stage], scratch: Path) -> list[Variant]:
    """Variants that were asked for and can be run here; the emulated one, which takes longest, first."""
    levels = factors(scratch, asked.python)
    in_turn = [] if asked.studies or asked.whole else sorted({stage.study for stage in stages} - {""})
    found = variants.each(levels, asked.studies) if asked.each else variants.covering(levels, asked.studies, in_turn)
    if played := variants.emulated(asked.studies):
        if shutil.which(EMULATOR):
            found.insert(0, played)
        else:
            say(f"not run: {played}: {EMULATOR} is missing (Debian: apt-get install qemu-user)")
    names = [variant.name for variant in found]
    if unknown := set(asked.variants or ()) - set(names):
        sys.exit(f"machines: no variant {', '.join(sorted(unknown))} here: there are {', '.join(names)}")
    return [variant for variant in found if not asked.variants or variant.name in asked.variants]


def compared(
    chosen: Sequence[Variant], asked: argparse.Namespace, stages: Sequence[pipeline.Stage], scratch: Path
) -> int:
    """Build and compare all variants, say what differs in each, and return the exit status."""
    counts, wrong = [], 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        running = {pool.submit(_tried, v, stages, scratch / f"{n}", asked): v for n, v in enumerate(chosen, 1)}
        for done in as_completed(running):
            count, problems = done.result()
            counts.append(count)
            wrong += bool(problems)
            say(f"{running[done].name}: {count} files, {f'{len(problems)} differ' if problems else 'all identical'}")
            for problem in problems:
                say(f"  {problem}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spread = f"{min(counts)} to {max(counts)}" if len(set(counts)) > 1 else str(counts[0])
    verdict = f"{wrong} with differences" if wrong else "all identical"
    say(f"CPU: {used.ru_utime + used.ru_stime:.0f} s")
    say(f"machines: {len(chosen)} variants, {spread} files each, {verdict}")
    return 1 if wrong else 0


def _tried(
    variant: Variant, stages: Sequence[pipeline.Stage], folder: Path, asked: argparse.Namespace
) -> tuple[int, list[str]]:
    """How many files a variant made, and what is wrong with them."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        made, paths = building.build(variant, ROOT, asked.reference, stages, folder)
        count, found = differences.compare(asked.reference, made, paths)
        return count, [str(one) for one in found]
    except building.BuildError as error:
        return 0, [str(error)]
    finally:
        if not asked.keep:
            shutil.rmtree(folder)


def say(line: str) -> None:
    """Print a line at once, so that a log shows how far it is."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
