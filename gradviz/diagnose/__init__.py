"""Which calls would fail or give nothing, why, and what to change."""
