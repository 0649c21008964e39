"""Runs a program as it is and migrated, in every pairing of its ends, and compares what each end did.

The programs run as processes of their own; nothing here imports what they use.
"""

# options      the command line
# refused      faults and releases of a command line that the toolkit does not know
# trees        the program as it is, and migrated; where it calls the old API
# peers        one end: its command line, old and new
# stage        a run of all ends, and what they leave: streams, statuses, traces, what the watcher saw
# patience     how long a process has had, without the time in which it waited for a processor
# _watcher     runs inside the programs: which lines called the library, which calls failed, when they printed
# waiting      where a program waited for a task
# meeting      whether the ends have met, and why not
# events       what can be compared, and how lines of traces are named in it
# strands      what each thread did, in its order
# account      what one end did, as sequences of events that can be compared
# comparison   the first event in which two accounts differ
# endings      differences that were meant, as somebody has modernised how connections end
# kept         what is left of the runs for a look
# rounds       the runs of a verification: pairings, faults, repetitions
# verdict      what they come to, and its exit status
# report       the verdict as text and JSON
# timeline     what traces show, drawn by comch_next
# page         the verdict as an HTML page: runs, differences, timelines, and what migrate made of the program
# command      python -m migrate verify

__all__: list[str] = []
