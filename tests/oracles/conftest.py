"""How many random inputs each procedure is compared on.

The ordinary suite takes 100; ``python -m pytest tests/oracles --oracles 1000`` (or the environment variable
``TYPEONE_ORACLES=1000``) takes a thousand.  Input ``i`` of a comparison depends on its name and ``i`` alone, so the
first 100 of the thousand are those of the ordinary suite.
"""

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--oracles", type=int, default=None, help="random inputs for each comparison with an oracle")


@pytest.fixture(scope="session")
def oracles(request: pytest.FixtureRequest) -> int:
    asked = request.config.getoption("oracles", None)
    return int(os.environ.get("TYPEONE_ORACLES", "100")) if asked is None else int(asked)
