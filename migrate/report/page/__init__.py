"""The parts of the HTML report."""

# markup      elements; every text and every value in them is escaped
# sheet       what all pages have: head, style, script
# sides       a file's changes as rows: the old line beside the new one
# links       where each place of a run is found on the page
# coverage    how many references there are and what becomes of them, by file and by symbol
# reasons     causes with what follows from them, notes, what the codes mean
# diffs       the rows as tables

__all__: list[str] = []
