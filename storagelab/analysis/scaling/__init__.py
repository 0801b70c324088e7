"""How a rate depends on clients and sizes, and what bounds it."""
