"""`serverlab duel`: two servers or more, without a file."""
