"""What is to be run: the experiment, the engines and settings to choose from, the plan."""
