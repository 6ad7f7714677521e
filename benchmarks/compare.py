"""Two commits on the same inputs, interleaved: ``python benchmarks/compare.py REV1 REV2 [--only NAME]``.

Each commit is laid out in a temporary folder and runs in processes of its own, in turn; the benchmarks and their
inputs are those of the working tree for both.  ``.`` stands for the working tree itself.  A ratio above 1 says that
REV2 is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.machine import single_thread  # noqa: E402
from benchmarks.timing import ROUNDS, Ratio, Timing, short  # noqa: E402

SAMPLES = 5  # times in one process, of which the median counts


@contextmanager
def tree(revision: str, folder: Path) -> Iterator[Path]:
    """The files of a commit; a worktree that is removed afterwards."""
    if revision == ".":
        yield ROOT
        return
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--detach", "--quiet", str(folder), revision], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def environment(files: Path) -> dict[str, str]:
    """The commit's sources before the installed ones, and the benchmarks of the working tree."""
    parts = [files / "sim", files / "kernels", ROOT]
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, parts))}


def one_process(files: Path, rows: list[str], quick: bool) -> dict[str, float]:
    """Median seconds of a unit of each row, in a fresh process."""
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", json.dumps([rows, quick])]
    done = subprocess.run(command, env=environment(files), capture_output=True, text=True, check=False, cwd=files)
    if done.returncode:
        raise SystemExit(f"{files}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout))


def measure(rows: list[str], quick: bool) -> dict[str, float]:
    """Inside such a process: compile, check the output, then time."""
    from benchmarks.table import ROWS

    found = {}
    for name in rows:
        ours = ROWS[name].build("small" if quick else "full")["ours"]
        assert ours.differs is not None
        said = ours.differs(ours.run())
        if said:
            raise SystemExit(f"{name}: {said}")
        found[name] = Timing(tuple(ours.measure() for _ in range(SAMPLES))).median
    return found


def compared(revisions: tuple[str, str], rows: list[str], *, quick: bool) -> dict[str, Ratio]:
    """Seconds of the first commit over those of the second, row by row, from alternating processes."""
    seconds: tuple[dict[str, list[float]], ...] = tuple({name: [] for name in rows} for _ in revisions)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        trees = [stack.enter_context(tree(revision, folder / str(i))) for i, revision in enumerate(revisions)]
        for files in trees:
            one_process(files, rows, True)  # fills both caches
        for i in range(3 if quick else ROUNDS):
            for j in (0, 1) if i % 2 == 0 else (1, 0):
                for name, value in one_process(trees[j], rows, quick).items():
                    seconds[j][name].append(value)
    return {name: Ratio.of(*(Timing(tuple(of[name])) for of in seconds)) for name in rows}


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revisions", nargs="*", metavar="REV", help="two commits; . is the working tree")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a row (repeatable)")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return
    from benchmarks.table import ROWS

    unknown = [name for name in options.only if name not in ROWS]
    if len(options.revisions) != 2 or unknown:
        parser.error(f"no such row: {', '.join(unknown)}" if unknown else "two commits are needed")
    quick = os.environ.get("QUICK", "") not in ("", "0")
    first, second = options.revisions
    ratios = compared((first, second), options.only or list(ROWS), quick=quick)
    print(f"seconds at {first} over seconds at {second}: ratio of medians (range of the rounds)")
    for name, ratio in ratios.items():
        print(f"{name:22} {short(ratio.median):>6}  ({short(ratio.least)} to {short(ratio.largest)})")


if __name__ == "__main__":
    single_thread()
    main()
