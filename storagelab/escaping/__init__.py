"""The gate for text: what logs, file names and sidecars say is shown, and never acted upon.

Text comes in through `characters.harmless`, which writes what nobody can see as escapes. It leaves through the escape of
the place it goes to: `cells` for spreadsheets, `markdown` for captions and prose, `drawn` for figures, `characters.shown`
for terminals; pages are written by templates that escape whatever is not marked as HTML, and are then held against what
a paper may hold (`storagelab.paper.allowed`).
"""
