"""Rules for generation 1 (doca_comm_channel)."""
