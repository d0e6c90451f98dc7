"""The front end's protocol file is what the model says."""

from __future__ import annotations

from typing import Any

import pytest

from gradviz.graph import protocol_ts


def test_the_file_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert protocol_ts.main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_file_is_reported_and_rewritten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "protocol.ts"
    monkeypatch.setattr(protocol_ts, "TARGET", target)
    assert protocol_ts.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().err
    assert protocol_ts.main([]) == 0
    assert protocol_ts.main(["--check"]) == 0
    assert target.read_text() == protocol_ts.generate()


@pytest.mark.parametrize(
    ("hint", "typescript", "shape"),
    [
        (str, "string", "'string'"),
        (int | None, "number | null", "{ any: ['number', 'null'] }"),
        (tuple[int, ...], "readonly number[]", "{ list: 'number' }"),
        (tuple[str, str], "readonly [string, string]", "{ tuple: ['string', 'string'] }"),
    ],
)
def test_types_are_translated(hint: Any, typescript: str, shape: str) -> None:
    assert protocol_ts.typescript(hint) == typescript
    assert protocol_ts.shape(hint) == shape


@pytest.mark.parametrize("translate", [protocol_ts.typescript, protocol_ts.shape])
def test_an_unknown_type_is_an_error(translate: Any) -> None:
    with pytest.raises(TypeError, match="no TypeScript counterpart"):
        translate(set[int])
