.PHONY: demo test lint types suite clean test-lowest

PY = .venv/bin/python
export PYTHONUTF8 = 1

# The main job on the packaged real scores.
demo:
	@sh requirements/setup.sh run
	@$(PY) -m typeone demo

# Lint, types and the whole suite.
test:
	@sh requirements/setup.sh test
	@$(MAKE) --no-print-directory lint types suite

lint:
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types:
	$(PY) -m mypy

suite:
	$(PY) -m pytest -n 2

# The suite on the oldest dependencies that pyproject.toml allows (needs uv).
test-lowest:
	@sh requirements/lowest.sh

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist runs
