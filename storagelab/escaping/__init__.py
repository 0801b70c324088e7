"""The gate for text: what logs, file names and sidecars say is shown, and never acted upon.

Text comes in through `characters.harmless`, which writes what nobody can see as escapes. It leaves through the escape
of where it goes: `cells` for spreadsheets, `markdown` for captions and prose, `characters.shown` for terminals.
Templates of pages escape whatever is not HTML already, and pages are held against what they may hold
(`storagelab.paper.allowed_html`).
"""
