#!/usr/bin/env python3
"""A session with the store: each line is a command, as in a shell."""
import shlex
import sys

import store

LINES = """
--name warehouse get a
get a
put a 1
put -v a 'two words'
get a
put big {}
list
limits
--device b1:00.9 limits
paint it black
shutdown
""".format("#" * 1000)


def main():
    worst = 0
    for line in LINES.strip().splitlines():
        words = shlex.split(line)
        print("%", line[:24])
        try:
            status = store.main(words)
        except SystemExit as stopped:
            status = stopped.code
        print("->", status)
        worst = max(worst, status)
    return worst


if __name__ == "__main__":
    sys.exit(main())
