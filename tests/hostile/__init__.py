"""The programs among peers that do their worst: every engine, over real sockets."""
