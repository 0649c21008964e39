"""What recorded runs of a program show: the accounts that `comm_channel_compat run --report FILE.json` wrote.

A run counts for a file that is byte for byte the one that ran, and for lines that ran; all accounts have to agree.

    accounts   the files, read
    runs       what they show of a project's lines
    lookups    getattr with names that are computed, as tables of the names that were read
    handles    variables with handles of unknown origin, and where these were made
    proofs     findings that a run settles, and why others stay
"""
