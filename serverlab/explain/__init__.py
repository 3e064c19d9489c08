"""`serverlab explain`: where a request's CPU time goes, and why two servers differ in it."""
