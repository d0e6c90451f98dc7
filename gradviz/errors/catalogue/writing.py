"""How the records are written.

A program is a string, so that this layer stays below the tensors. Two kinds of comment carry
meaning, for readers and for the tests alike:

- the line that raises ends with a comment that begins with `fails`;
- in a program that fails silently, the culprit's line ends with a comment that begins with
  `cause`, and a comment `# gv.diagnose(...)` shows the question whose answer names it.
"""

from __future__ import annotations

import textwrap


def code(text: str) -> str:
    """A program or snippet without the indentation it has inside a record."""
    return textwrap.dedent(text).strip("\n") + "\n"
