"""What tests of the command line share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from typeone.cli import main


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, words)))
        return int(ended.value.code or 0), *capsys.readouterr()

    return call
