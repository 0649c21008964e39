"""What a run shows: text, diff, JSON, SARIF, HTML, each a function of its findings."""
