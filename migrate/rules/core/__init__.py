"""Rules for the calls that every generation shares: devices, result codes, the log, imports."""
