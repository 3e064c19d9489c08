"""From a plan to a run's folder: programs are started, followed and recorded."""
