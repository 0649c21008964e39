"""The launcher behind ``python -m comm_channel_compat``. It imports nothing of the toolkit: the program replaces it."""

# commands       run, exec, env, paths: what each one does and what its help says
# command_line   options and what stands behind them
# python         the command line that Python itself was started with
# settings       the environment that lets programs find the old names
# faces          the C libraries that stand for DOCA's, and the real ones on this machine
# audit.c        redirects absolute paths of DOCA's libraries; the dynamic linker asks it
