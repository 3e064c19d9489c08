"""The machine, as the laboratory finds it: its CPUs, its state, its native programs, memory."""
