#!/usr/bin/env python3
"""Run the package from a checkout: the same as python -m mailbox."""
import runpy

runpy.run_module("mailbox", run_name="__main__", alter_sys=True)
