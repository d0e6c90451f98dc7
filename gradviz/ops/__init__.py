"""The operation table: one row per operation. No array library."""
