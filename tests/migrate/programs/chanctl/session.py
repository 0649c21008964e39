"""A session with chanctl, several commands in one process."""
import sys

import chanctl

COMMANDS = """
limits
-d 0b:00.0 limits
ping nobody
-s 70000 ping chan
-s 512 -Q 8 ping chan -v -p 3
ping chan -c 20 --counters --quit
"""

statuses = []
for line in COMMANDS.strip().splitlines():
    print("%", line)
    statuses.append(chanctl.main(line.split()))
print(statuses)
sys.exit(max(statuses))
