"""Statistics of trials: merged histograms, paired ratios, ranks with ties, models of a load."""
