from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.runs import go
from typeone.engine.lookup import changed, design_called
from typeone.engine.runner import run
from typeone.report.result import result_page
from typeone.report.run import run_page


@pytest.fixture(scope="session")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cells, honest and bold (the promise is broken), two levels, 4 000 repetitions."""
    folder = tmp_path_factory.mktemp("coins") / "run"
    design = changed(design_called("coin"), {"repetitions": 4000, "heads": "1/2", "excess": ["0", "1"]})
    run(design, folder, backend="threading")
    return folder


@pytest.fixture(scope="session")
def page(coins: Path) -> str:
    return run_page(coins)


@pytest.fixture(scope="session")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every thirteenth repetition of one cell raises."""
    folder = tmp_path_factory.mktemp("failing") / "run"
    go(folder, backend="threading", repetitions=100, factors={"rate": ["1/20"], "fail_every": [0, 13]})
    return folder


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four reference, four calibration and nine target sources of two documents; "x<1>" stands out."""
    rows = [
        {"source": name, "score": 0.1 * (place % 4) + 0.01 * document, "role": role}
        for role, names in (("reference", "abcd"), ("calibration", "efgh"), ("target", "ijklmnop"))
        for place, name in enumerate(names)
        for document in range(2)
    ]
    rows += [{"source": "x<1>", "score": score, "role": "target"} for score in (5.0, 4.0)]
    file = tmp_path_factory.mktemp("scf") / "scores.parquet"
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file


@pytest.fixture(scope="session")
def decided(documents: Path) -> Path:
    """What ``typeone apply scf`` writes for ``documents``."""
    from typeone import scf, tables

    result = scf.apply(tables.read(documents), role="role", options=scf.Options(cap="0.2", levels=["0.2", "0.4"]))
    file = documents.with_name("out.csv")
    tables.write(result.to_arrow(), file)
    return file


@pytest.fixture(scope="session")
def result(decided: Path, documents: Path) -> str:
    return result_page(decided, documents, {"cap": "0.2"})
