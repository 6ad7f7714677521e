#!/bin/sh
# The release check: builds sdist and wheel, installs each into a new environment of every supported Python that is
# there, and runs the demo in an empty folder.  Every demo must print the same.
# requirements/release.sh [FOLDER]: keeps sdist and wheel in FOLDER (dist).  PYTHONS="python3.12 /opt/x/bin/python3.13"
# names the Pythons; without it, python3.11, python3.12 and python3.13 as they are found.
set -eu
cd "$(dirname "$0")/.."
sh requirements/setup.sh run
dist=${1:-dist}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH VIRTUAL_ENV

supported='import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))'
pythons=
for name in ${PYTHONS:-python3.11 python3.12 python3.13}; do
  if "$name" -c "$supported" >/dev/null 2>&1; then
    pythons="$pythons $name"
  elif [ -n "${PYTHONS:-}" ]; then
    echo "$name is no Python from 3.11 to 3.13 with venv" >&2
    exit 1
  else
    echo "$name: not here, not checked"
  fi
done
[ -n "$pythons" ] || { echo "no supported Python is here" >&2; exit 1; }

.venv/bin/python -m hatchling build --directory "$work/dist" >/dev/null
for python in $pythons; do
  for file in "$work"/dist/*.whl "$work"/dist/*.tar.gz; do
    what="$("$python" --version), $(basename "$file")"
    "$python" -m venv "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$file"
    "$work/venv/bin/python" -m pip check --quiet --disable-pip-version-check
    mkdir "$work/run"
    (cd "$work/run" && "$work/venv/bin/typeone" demo) >"$work/told"
    place=$(cd "$work/run" && "$work/venv/bin/python" -c 'import typeone; print(typeone.__file__)')
    case $place in
      "$work"/venv/*) ;;
      *) echo "$what: imports $place" >&2; exit 1 ;;
    esac
    [ -e "$work/first" ] || cp "$work/told" "$work/first"
    cmp "$work/first" "$work/told" || { diff "$work/first" "$work/told" || true; echo "$what: another demo" >&2; exit 1; }
    echo "$what: the demo runs"
    rm -rf "$work/venv" "$work/run"
  done
done
mkdir -p "$dist"
cp "$work"/dist/* "$dist"
echo "written: $(ls "$dist"/*)"
