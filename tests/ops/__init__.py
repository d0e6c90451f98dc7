"""Operations: tests derived from the table, numeric truths, bad input."""
