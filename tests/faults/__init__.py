"""Writing commands that are disturbed at each of their steps on disk, and what must hold then.

`python -m tests.faults` kills them at random moments and fills their disks; `tests.test_writing` tries every step.
"""
