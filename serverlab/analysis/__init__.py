"""What a run's folder says, in figures: no colours, no sentences, no tables."""
