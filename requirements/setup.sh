#!/bin/sh
# Makes .venv with the locked dependencies and typeone itself: requirements/setup.sh run|test
# Does nothing when .venv already holds exactly that.
set -eu
cd "$(dirname "$0")/.."
kind=$1
lock=requirements/$kind.lock

find_python() {
  for name in ${PYTHON:-} python3.13 python3.12 python3.11 python3; do
    if command -v "$name" >/dev/null 2>&1 &&
      "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
  echo "typeone needs Python 3.11, 3.12 or 3.13: apt-get install python3 python3-venv" >&2
  exit 1
}

want=$(cat "$lock" pyproject.toml | cksum)-$kind
for done in run test; do # what the tests need includes what a run needs
  [ "$kind" = run ] || [ "$done" = test ] || continue
  have=$(cat ".venv/typeone-$done" 2>/dev/null || true)
  if [ "$have" = "$(cat "requirements/$done.lock" pyproject.toml | cksum)-$done" ] && .venv/bin/python -c 'import typeone' 2>/dev/null; then
    exit 0
  fi
done

python=$(find_python)
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
  echo "$python has no venv module: apt-get install python3-venv" >&2
  exit 1
fi
echo "setting up .venv with $("$python" --version) and $lock"
[ -x .venv/bin/python ] && .venv/bin/python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null ||
  "$python" -m venv --clear .venv
rm -f .venv/typeone-run .venv/typeone-test
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
echo "$want" >".venv/typeone-$kind"
