"""New text: small nodes for new code, their rendering by libcst, comments, and the check of the result."""
