"""What ``python -m comch_next`` shows, a command each.

command_line    the words, the exit status, interruptions
hardware        devices, caps
admin           living servers and their connections
"""
