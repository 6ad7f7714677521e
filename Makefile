.PHONY: demo test lint types suite clean test-lowest release bench docs results compare

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

# sdist and wheel into dist/, each installed in a new environment of every supported Python here, where the demo runs.
release:
	@sh requirements/release.sh

# Ratios beside floors, twins and peers, into results/benchmarks (about 15 minutes on two quiet cores).
bench:
	@sh benchmarks/setup.sh
	$(PY) -m benchmarks
	$(PY) -m benchmarks.profiles --write

# Everything under results/ (hours); with QUICK=1 fewer repetitions, into runs/quick, in at most 10 minutes.
results:
	@sh requirements/setup.sh test
ifdef QUICK
	$(PY) results/run.py --quick --out runs/quick
else
	@sh benchmarks/setup.sh
	$(PY) results/run.py
endif

# The quick run against the committed tables, within their errors.
compare:
	$(PY) results/compare.py results runs/quick

# The documentation, into site/: opens from disk, asks no network for anything.
docs:
	@sh requirements/setup.sh test
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	@echo "open site/index.html"

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist runs site
