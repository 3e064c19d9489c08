"""The programs as a black box: every engine with every service, over real sockets."""
