"""How numbers, levels and what they rest on are put into words: in figures, tables, sheets and sentences."""
