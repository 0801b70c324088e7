"""Tables of papers computed again from the raw logs by another road.

Logs are read by regular expressions, runs by csv, and statistics are numpy's and scipy's: nothing of storagelab takes
part but the tables that its papers print, and the rendering of logs of published studies. What is computed is what the
caption of a table says.
"""
