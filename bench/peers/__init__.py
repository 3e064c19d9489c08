"""Echo servers by other runtimes, written as their own examples write them."""
