"""What a server of each service is asked."""
