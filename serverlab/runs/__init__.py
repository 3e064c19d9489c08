"""`serverlab runs`: what has been asked so far, what came of it, and how it changed."""
