#!/bin/sh
# Writes the locked sets anew (needs uv): exact versions with hashes, for Python 3.11 to 3.13, no addresses.
set -eu
cd "$(dirname "$0")/.."
common="--universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links --quiet"
# shellcheck disable=SC2086
uv pip compile pyproject.toml --group build --group test --extra dask --extra ray --extra frames --extra docs $common -o requirements/test.lock
# The run set is the test set restricted, so that both hold the same versions.
# shellcheck disable=SC2086
uv pip compile pyproject.toml --group build --constraint requirements/test.lock $common -o requirements/run.lock
