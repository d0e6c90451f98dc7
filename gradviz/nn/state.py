"""The state of a module: its parameters and persistent buffers as arrays, on paper and on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from gradviz.backends.ndarray import files
from gradviz.errors import GradvizError, GradvizKeyError, GradvizTypeError, fail, missing_extra
from gradviz.nn.parameter import Buffer, Parameter, fitting
from gradviz.tensor import values

if TYPE_CHECKING:
    from gradviz.nn.module import Module

_SHOWN = 10


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` found: paths without a value, and values without a path."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class StateFileNotFoundError(GradvizError, FileNotFoundError):
    """A state file that isn't there."""


def entries(module: Module) -> Iterator[tuple[str, Parameter | Buffer]]:
    """Everything that belongs to the state, under every path it has."""
    for path, owner in module.named_modules(remove_duplicate=False):
        for name, value in vars(owner).copy().items():
            if isinstance(value, Parameter) or (isinstance(value, Buffer) and value.persistent):
                yield f"{path}.{name}" if path else name, value


def collect(module: Module) -> dict[str, Any]:
    """The state as fresh arrays."""
    return {
        path: files.copied(values.read(tensor, "state_dict")) for path, tensor in entries(module)
    }


def load(module: Module, given: Any, strict: bool) -> IncompatibleKeys:
    """Gives the module's tensors the values of a state; all of them, or none.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch`.
    """
    if not isinstance(given, Mapping):
        raise fail(
            "invalid-argument",
            operation="load_state_dict",
            complaint=f"a {type(given).__name__} is no state",
            advice="Give what `state_dict()` returned; `module.load(path)` reads a file.",
            error=GradvizTypeError,
        )
    own = dict(entries(module))
    missing = [path for path in own if path not in given]
    unexpected = [str(path) for path in given if path not in own]
    if strict and (missing or unexpected):
        raise _keys(module, missing, unexpected)
    # Every value is looked at before the first one is set.
    arrays = {
        path: fitting(tensor, given[path], "load_state_dict", f"`{path}`")
        for path, tensor in own.items()
        if path in given
    }
    for path, array in arrays.items():
        own[path].prim = array
    return IncompatibleKeys(missing, unexpected)


def _keys(module: Module, missing: list[str], unexpected: list[str]) -> GradvizError:
    parts = []
    if missing:
        parts.append(f"nothing for {_listed(missing)}")
    if unexpected:
        parts.append(f"no place for {_listed(unexpected)}")
    return fail(
        "invalid-argument",
        operation="load_state_dict",
        complaint=f"the state doesn't fit {type(module).__name__}: {'; '.join(parts)}",
        reason="the state was made by a module with other attributes; nothing has been loaded.",
        facts=(("missing", _listed(missing)), ("unexpected", _listed(unexpected))),
        advice="Build the module as it was when the state was made, or pass `strict=False` to load "
        "what fits.",
        error=GradvizKeyError,
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown or "nothing"


def save(module: Module, path: str | PathLike[str]) -> None:
    """Writes the state to a file.

    Raises:
        GradvizError: `invalid-argument`, `missing-extra`.
    """
    name = _named(path)
    try:
        files.write(name, collect(module))
    except ImportError:
        raise _no_safetensors("save") from None
    except files.NameTakenError as error:
        raise fail(
            "invalid-argument",
            operation="save",
            complaint=f"{name!r} can't hold the state: {error}",
            advice="Give the attribute another name, or save to an `.npz` file.",
        ) from None


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """The arrays of a state file.

    Raises:
        GradvizError: `invalid-argument` for a file that is missing or of another kind;
            `missing-extra`.
    """
    name = _named(path)
    try:
        return files.read(name)
    except ImportError:
        raise _no_safetensors("load") from None
    except FileNotFoundError:
        raise fail(
            "invalid-argument",
            operation="load",
            complaint=f"there is no file {name!r}",
            advice="Look at the path; `module.save(path)` writes such a file.",
            error=StateFileNotFoundError,
        ) from None
    except files.UnreadableError as error:
        raise fail(
            "invalid-argument",
            operation="load",
            complaint=f"{name!r} is no state file",
            reason=f"{error}.",
            advice="Give a file that `module.save(path)` wrote, or one of the same format with one "
            "array for each path.",
        ) from None


def _no_safetensors(operation: str) -> GradvizError:
    return missing_extra(
        operation,
        "safetensors",
        "safetensors",
        "The format of `.safetensors` files belongs to that package.",
        "; an `.npz` file needs no package",
    )


def _named(path: str | PathLike[str]) -> str:
    text = fspath(path)
    return text if text.endswith(".npz") or files.is_safetensors(text) else f"{text}.npz"
