"""Statistics of trials: histograms that merge, paired ratios with intervals, spreads."""
