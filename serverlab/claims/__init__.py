"""The claims of five reports, each with the experiment that tests it, and their verdicts."""
