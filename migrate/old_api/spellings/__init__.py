"""How programs spell old calls: each module has `read(node, function, receiver=None) -> Call`."""
