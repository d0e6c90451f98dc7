"""Files that appear whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from gradviz.core.files import whole, write_whole


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.txt"
    path.write_text("old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert [found.name for found in tmp_path.iterdir()] == ["graph.txt"]
    assert path.read_text() == "old"


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"

    def breaks_off() -> None:
        with whole(path) as file:
            file.write(b"half")
            file.flush()
            assert not path.exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        breaks_off()
    assert not list(tmp_path.iterdir())


def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    write_whole(tmp_path / "ours", b"x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755])
def test_a_file_that_is_replaced_hands_its_permissions_on(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, b"new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_keeps_pointing(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "new"


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 120)
    write_whole(path, b"x")
    assert path.read_bytes() == b"x"
