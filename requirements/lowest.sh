#!/bin/sh
# Runs the suite on the oldest direct dependencies that pyproject.toml allows: requirements/lowest.sh [PYTEST ARGUMENTS]
# Needs uv and a Python 3.11.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
uv venv --quiet --python 3.11 "$folder/venv"
uv pip compile pyproject.toml --group build --group test --extra frames --resolution lowest-direct --python-version 3.11 \
  --quiet --output-file "$folder/lowest.txt"
VIRTUAL_ENV="$folder/venv" uv pip install --quiet -r "$folder/lowest.txt"
VIRTUAL_ENV="$folder/venv" uv pip install --quiet --no-deps --no-build-isolation --editable .
"$folder/venv/bin/python" -m pytest -n 2 "$@"
