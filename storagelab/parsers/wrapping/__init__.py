"""Logs as they are found: compressed, in other encodings, quoted, stamped, several tools in one file.

Between bytes and parsers stand, in this order: `compression`, `encodings`, `markup` (terminals, HTML, Markdown),
`prefixes` (what stands before each line), `regions` (whose lines are whose), `joined` (several tools as one log). Each
keeps the numbers that lines have in the file. `unwrapping` tries them.
"""
