"""What a run shows: text, diff, JSON, SARIF, HTML, annotations, each a function of its findings."""
