"""Compiled kernels: once in the parent, cached where it is safe, and where nothing can be cached still there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import numpy as np
from numba.core import event
compiling = []
with event.install_timer("numba:compile", compiling.append):
    from typeone_kernels._jit import cache_folder
    from typeone_kernels.streams import STATE_WORDS, open_stream, next_word
    state = np.empty(STATE_WORDS, np.uint64)
    open_stream(state, np.array([1, 2], np.uint64), 5, 0)
    word = next_word(state)
folder = cache_folder("streams")
print(folder, int(word), sum(next_word.stats.cache_hits.values()) if folder else -1)
"""
STEP_DOWN = """
import os, sys
exec(program)
for name in [name for name in sys.modules if name.startswith("typeone_kernels")]:
    del sys.modules[name]
del os.environ["TYPEONE_CACHE"]
os.setuid(65534)
exec(program)
"""
WORD = int(np.random.Philox(key=[1, 2], counter=[0, 0, 0, 5]).random_raw())


def run(kernels: Path = ROOT / "kernels", **variables: str) -> tuple[str, int, int]:
    """(cache folder, the word, cache hits) of a new process."""
    kept = {"PATH": os.environ["PATH"], "PYTHONPATH": str(kernels)}
    made = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    folder, word, hits = made.stdout.split()
    return folder, int(word), int(hits)


def test_a_second_process_loads_what_the_first_compiled(tmp_path: Path) -> None:
    folder, word, hits = run(HOME=str(tmp_path))
    assert Path(folder).parent == tmp_path / ".cache" / "typeone"
    assert Path(folder).stat().st_mode & 0o777 == 0o700
    assert (word, hits) == (WORD, 0)
    assert run(HOME=str(tmp_path)) == (folder, WORD, 1)


def test_two_processes_at_once(tmp_path: Path) -> None:
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "kernels"), "HOME": str(tmp_path)}
    variables.pop("NUMBA_CACHE_DIR", None)
    both = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", PROGRAM], env=variables, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    told = [process.communicate(timeout=120)[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert told[0][:2] == told[1][:2]
    assert int(told[0][1]) == WORD
    assert run(HOME=str(tmp_path)) == (told[0][0], WORD, 1)


def test_a_home_that_cannot_be_written_falls_back_to_the_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file: nothing can be made below it, whoever asks")
    (tmp_path / "tmp").mkdir()
    folder, word, _ = run(HOME=str(tmp_path / "home"), TMPDIR=str(tmp_path / "tmp"))
    assert (tmp_path / "tmp") in Path(folder).parents
    assert word == WORD


def test_with_no_home_and_no_temporary_folder_kernels_still_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "below")
    folder, word, hits = run(HOME=nowhere, XDG_CACHE_HOME=nowhere, NUMBA_CACHE_DIR=nowhere)
    assert (folder, word, hits) == ("None", WORD, -1)
    assert run(TYPEONE_CACHE="off", HOME=str(tmp_path)) == ("None", WORD, -1)
    assert not (tmp_path / ".cache").exists()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root to step down from")
def test_a_user_with_a_read_only_home_and_none_at_all(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    for path in (tmp_path, *(folder for folder in tmp_path.parents if Path(tempfile.gettempdir()) in folder.parents)):
        path.chmod(path.stat().st_mode | 0o055)
    for variables in ({"HOME": str(home)}, {"HOME": "/nonexistent"}):
        # Python itself may lie where only root can read: everything is loaded once before stepping down.
        code = f"program = {PROGRAM!r}\n" + STEP_DOWN
        made = subprocess.run(
            [sys.executable, "-c", code],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(tmp_path / "kernels"),
                "TYPEONE_CACHE": "off",
                "TMPDIR": str(temporary),
                **variables,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        folder, word, _ = made.stdout.splitlines()[1].split()
        assert int(word) == WORD
        assert Path(folder).parent == temporary / "typeone-65534"


def test_a_folder_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    folder = Path(run(HOME=str(tmp_path))[0])
    folder.chmod(0o777)
    other = run(HOME=str(tmp_path), TMPDIR=str(tmp_path))[0]
    assert other != str(folder)


@pytest.mark.parametrize("changed", ["_jit.py", "streams.py"])
def test_an_upgraded_package_gets_another_folder(tmp_path: Path, changed: str) -> None:
    kernels = tmp_path / "kernels"
    shutil.copytree(ROOT / "kernels", kernels)
    old, word, _ = run(kernels, HOME=str(tmp_path))
    file = kernels / "typeone_kernels" / changed
    before = file.stat()
    file.write_text(file.read_text(encoding="utf-8").replace("_M0 = np.uint64(0xD2", "_M0 = np.uint64(0xD3") + "\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # as a package manager may
    new, other, hits = run(kernels, HOME=str(tmp_path))
    assert new != old
    assert hits == 0
    assert (other != word) == (changed == "streams.py")
