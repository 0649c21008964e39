#!/bin/sh
# Reports each missing prerequisite that `make` cannot install on its own line: those of .venv, and the commands that are
# its arguments. Used by the Makefile.
python=${PYTHON:-python3}
missing=0
say() { echo "missing: $*" >&2; missing=1; }

[ "$(uname -s)" = Linux ] || say "Linux (shared memory with seals and eventfd are Linux's own)"
release=$(uname -r)
major=${release%%.*}
minor=${release#*.}
minor=${minor%%[!0-9]*}
if [ "$(uname -s)" = Linux ] && [ $((major * 1000 + ${minor:-0})) -lt 5014 ]; then
    say "Linux 5.14 or newer (this is $release)"
fi

if ! "$python" -c '' 2>/dev/null; then
    say "Python 3.10 or newer ($python does not run; name another with PYTHON=...)"
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    say "Python 3.10 or newer ($python is $("$python" -c 'import platform; print(platform.python_version())'); name another with PYTHON=...)"
fi
"$python" -c 'import venv, ensurepip' 2>/dev/null || say "Python's venv module (on Debian and Ubuntu: apt install python3-venv)"

# The compiler that the build will use, then the headers, then both together.
cc=${CC:-$("$python" -c 'import sysconfig; print((sysconfig.get_config_var("CC") or "cc").split()[0])')}
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
platinclude=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platinclude"))')
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
echo 'int main(void) { return 0; }' >"$scratch/plain.c"
printf '#include <Python.h>\nint main(void) { return 0; }\n' >"$scratch/header.c"
# $cc stays unquoted: CC may carry options.
if ! $cc -c "$scratch/plain.c" -o "$scratch/plain.o" 2>/dev/null; then
    say "a C compiler ($cc does not compile; on Debian and Ubuntu: apt install gcc libc6-dev)"
elif ! $cc -I"$include" -I"$platinclude" -c "$scratch/header.c" -o "$scratch/header.o" 2>/dev/null; then
    say "the C headers of $python (no usable Python.h in $include; on Debian and Ubuntu: apt install python3-dev)"
fi
for command in "$@"; do
    command -v "$command" >/dev/null || say "$command (on Debian and Ubuntu: apt install $command)"
done
exit $missing
