#!/bin/sh
# What the benchmarks need beyond the tests: peers from PyPI (the extra "bench").  Does nothing when they are there.
# nonconform needs Python 3.12: where .venv is older and a newer Python is found, it gets an environment of its own in
# .venv/peers, with the same NumPy and SciPy; else its row says that it was not measured.
set -eu
cd "$(dirname "$0")/.."
sh requirements/setup.sh test
pip="-m pip install --quiet --disable-pip-version-check"

want=$(cksum <pyproject.toml)
if [ "$(cat .venv/typeone-bench 2>/dev/null || true)" != "$want" ]; then
  # Versions of what the tests use stay as locked; peers come as PyPI has them.
  .venv/bin/python -m pip freeze --exclude-editable >.venv/locked.txt
  # shellcheck disable=SC2086
  .venv/bin/python $pip --constraint .venv/locked.txt --no-build-isolation --editable '.[bench]'
  echo "$want" >.venv/typeone-bench
fi

has() { "$1" -c "import $2" >/dev/null 2>&1; }
if has .venv/bin/python nonconform || { [ -x .venv/peers/bin/python ] && has .venv/peers/bin/python nonconform; }; then
  exit 0
fi
pyenv=$(pyenv root 2>/dev/null || echo /nowhere)
for python in ${PEER_PYTHON:-} python3.13 python3.12 "$pyenv"/versions/3.1[23]*/bin/python3; do
  if "$python" -c 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1; then
    versions=$(.venv/bin/python -c 'import numpy, scipy; print(f"numpy=={numpy.__version__} scipy=={scipy.__version__}")')
    "$python" -m venv --clear .venv/peers
    # shellcheck disable=SC2086
    .venv/peers/bin/python $pip 'nonconform>=2.0' $versions && exit 0
  fi
done
echo "no Python 3.12 or newer: nonconform is left out (PEER_PYTHON=... names one)" >&2
