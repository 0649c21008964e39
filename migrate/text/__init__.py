"""New text: small nodes for new code, rendering by libcst, comments, and the check of the result."""
