"""The launcher behind ``python -m comm_channel_compat``: it imports nothing of the toolkit, which would only cost time."""

# python     the command line that Python itself was started with
