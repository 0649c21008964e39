"""What ``python -m comch_next`` shows, a command each.

command_line    the words, the exit status, interruptions
hardware        devices, caps
report          tables, as text or as JSON
showing         a report once, or again and again
admin           living servers and their connections
"""
