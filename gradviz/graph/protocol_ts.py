"""Writes `extension/src/protocol.ts` from the dataclasses of the model and of answers.

    python -m gradviz.graph.protocol_ts [--check]

The TypeScript file holds an interface for every view and a `SCHEMA` table of the same fields, by
which the front end checks what it is given: a saved notebook may come from anywhere.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union

from gradviz.graph import answers, model

TARGET = Path(__file__).resolve().parents[2] / "extension" / "src" / "protocol.ts"

HEADER = """\
// Generated from gradviz/graph by `python -m gradviz.graph.protocol_ts`. Don't edit.
"""

SCALARS: dict[object, str] = {str: "string", bool: "boolean", int: "number", float: "number"}


def views() -> list[type[Any]]:
    """The dataclasses of both modules in the order they are written there."""
    return [
        value
        for module in (model, answers)
        for value in vars(module).values()
        if isinstance(value, type)
        and dataclasses.is_dataclass(value)
        and value.__module__ == module.__name__
    ]


def typescript(hint: Any) -> str:
    """The TypeScript type of a type hint of the model."""
    if hint is Any:
        return "unknown"
    if hint in SCALARS:
        return SCALARS[hint]
    if hint is type(None):
        return "null"
    if dataclasses.is_dataclass(hint):
        return typing.cast("type[Any]", hint).__name__
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " | ".join(f"'{value}'" for value in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(typescript(argument) for argument in arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        item = typescript(arguments[0])
        return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
    if origin is tuple:
        return f"readonly [{', '.join(typescript(argument) for argument in arguments)}]"
    if origin is Mapping:
        return f"Readonly<Record<{typescript(arguments[0])}, {typescript(arguments[1])}>>"
    raise TypeError(f"the model uses {hint!r}, which has no TypeScript counterpart yet")


def shape(hint: Any) -> str:
    """The same type as the front end's checker reads it: a literal of `Shape`."""
    if hint is Any:
        return "'unknown'"
    if hint in SCALARS:
        return f"'{SCALARS[hint]}'"
    if hint is type(None):
        return "'null'"
    if dataclasses.is_dataclass(hint):
        return f"{{ view: '{typing.cast('type[Any]', hint).__name__}' }}"
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return f"{{ oneOf: [{', '.join(repr(value) for value in arguments)}] }}"
    if origin in (Union, types.UnionType):
        return f"{{ any: [{', '.join(shape(argument) for argument in arguments)}] }}"
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return f"{{ list: {shape(arguments[0])} }}"
    if origin is tuple:
        return f"{{ tuple: [{', '.join(shape(argument) for argument in arguments)}] }}"
    if origin is Mapping:
        return f"{{ record: {shape(arguments[1])} }}"
    raise TypeError(f"the model uses {hint!r}, which has no TypeScript counterpart yet")


def has_default(field: dataclasses.Field[Any]) -> bool:
    """Whether a message may leave the field out."""
    return (
        field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
    )


def generate() -> str:
    """The whole text of `protocol.ts`."""
    parts = [
        HEADER,
        f"export const SCHEMA_VERSION = {model.SCHEMA_VERSION};",
        f"export const MIME_TYPE = '{model.MIME_TYPE}';",
        f"export const CHANNEL = '{model.CHANNEL}';",
        f"export const CHANNEL_VERSION = {model.CHANNEL_VERSION};",
    ]
    table: list[str] = []
    for view in views():
        hints = typing.get_type_hints(view)
        fields = dataclasses.fields(view)
        lines = [f"  readonly {field.name}: {typescript(hints[field.name])};" for field in fields]
        parts.append(
            "\n".join([*_comment(view), f"export interface {view.__name__} {{", *lines, "}"])
        )
        rows = [
            f"    {field.name}: {{ is: {shape(hints[field.name])}, "
            f"optional: {'true' if has_default(field) else 'false'} }},"
            for field in fields
        ]
        table.append("\n".join([f"  {view.__name__}: {{", *rows, "  },"]))
    parts.append(
        "/** How a field's value must look; `view` names a row of `SCHEMA`. */\n"
        "export type Shape =\n"
        "  | 'string'\n  | 'number'\n  | 'boolean'\n  | 'null'\n  | 'unknown'\n"
        "  | { readonly view: string }\n"
        "  | { readonly oneOf: readonly string[] }\n"
        "  | { readonly any: readonly Shape[] }\n"
        "  | { readonly list: Shape }\n"
        "  | { readonly tuple: readonly Shape[] }\n"
        "  | { readonly record: Shape };"
    )
    parts.append(
        "export const SCHEMA: Readonly<\n"
        "  Record<string, Readonly<Record<string, "
        "{ readonly is: Shape; readonly optional: boolean }>>>\n"
        "> = {\n" + "\n".join(table) + "\n};"
    )
    return "\n\n".join(parts) + "\n"


def _comment(view: type[Any]) -> list[str]:
    first = (view.__doc__ or "").strip().split("\n\n")[0]
    return [f"/** {' '.join(first.split())} */"]


def main(arguments: list[str] | None = None) -> int:
    """Writes the file, or with `--check` tells whether it is what would be written."""
    parser = argparse.ArgumentParser(prog="python -m gradviz.graph.protocol_ts")
    parser.add_argument("--check", action="store_true", help="fail if the file is out of date")
    check: bool = parser.parse_args(arguments).check
    text = generate()
    current = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    if current == text:
        return 0
    if check:
        sys.stderr.write(f"{TARGET} is out of date: run python -m gradviz.graph.protocol_ts\n")
        return 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
