"""What other tools write, a file each: text or a document goes in, rows come out."""
