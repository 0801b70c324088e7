"""The proof that outputs are the same on every machine: all papers rebuilt under simulated ones, and compared.

``python -m tests.machines`` copies the repository, runs every stage of dvc.yaml in the copy under other processors and
other surroundings, and compares each output, byte by byte, with those that stand in the repository. No level is shared
with the run that made those, wherever there is another one.
"""
