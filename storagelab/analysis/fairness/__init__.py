"""How evenly and how steadily the clients of a run were served."""
