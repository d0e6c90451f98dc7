"""Writes `functions.py` and `methods.py` from the operation table.

`python -m gradviz.tensor.generate` writes, `--check` fails where the files on disk differ. The
files are ordinary typed source, so that signatures, documentation and completion work, and
importing them costs nothing. What an example gives is computed here, by the library itself.
"""

# ruff: noqa: E501 - lines of source and sentences, as they will stand
from __future__ import annotations

import argparse
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

import gradviz.ops.families as _families  # noqa: F401 - fills the table
from gradviz.ops.spec import Row, table
from gradviz.tensor.arguments import ARGUMENTS
from gradviz.tensor.attach import RENAMED
from gradviz.tensor.names import ALIASES, COMPOSED_METHODS, OPERATORS
from gradviz.tensor.signatures import SIGNATURES, Signature
from gradviz.tensor.signatures_spatial import LAYOUTS as _LAYOUTS  # noqa: F401 - adds signatures

HERE = Path(__file__).parent
HEADER = '"""{title}\n\nGenerated from the operation table by `gradviz.tensor.generate`: do not edit.\n"""\n'


def examples() -> dict[str, str]:
    """What every example gives, in words of Python."""
    import gradviz

    return {
        signature.name: repr(eval(signature.example, {"gv": gradviz}))  # noqa: S307 - our own text
        for name, signature in SIGNATURES.items()
        if name in table
    }


def _examples_anew() -> dict[str, str]:
    """The same from a new interpreter, which sees the functions just written."""
    code = (
        "import json; from gradviz.tensor.generate import examples; print(json.dumps(examples()))"
    )
    text = subprocess.run(  # noqa: S603 - our own text
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    found: dict[str, str] = json.loads(text)
    return found


def functions_source(expected: Mapping[str, str]) -> str:
    """The text of `functions.py`, given what the examples give."""
    parts = [
        HEADER.format(title="Operations as functions."),
        "\n# ruff: noqa: E501, Q000, RUF021, RUF022\n",
        "from __future__ import annotations\n\n",
        "from typing import Any\n\n",
        "from gradviz.tensor import canon\n",
        "from gradviz.tensor.base import TENSORS, Tensor\n",
        "from gradviz.tensor.general import explain, general, number, row_of\n\n",
    ]
    public = [row for row in table.values() if row.name in SIGNATURES]
    parts += [f'_{row.name}_row = row_of("{row.name}")\n' for row in public]
    for row in public:
        parts.append("\n\n" + _function(row, SIGNATURES[row.name], expected))
        if row.name in OPERATORS and OPERATORS[row.name][1]:
            parts.append("\n\n" + _reflected(row))
    for alias, name in ALIASES.items():
        parts.append(
            f"\n\n{alias} = {name}" if alias == next(iter(ALIASES)) else f"\n{alias} = {name}"
        )
    names = sorted({SIGNATURES[row.name].name for row in public} | set(ALIASES))
    parts.append("\n\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]")
    return "".join(parts) + "\n"


def _function(row: Row, signature: Signature, expected: Mapping[str, str]) -> str:
    body = _binary(row) if _is_binary(row) else _single(row, signature)
    if row.variadic or (len(row.inputs) > 1 and not _is_binary(row)):
        body = _several(row, signature)
    result = "Any" if row.extra_results else "Tensor"
    if row.extra_results:
        body = [line.replace("  # type: ignore[no-any-return]", "") for line in body]
    text = signature.text.replace("'", '"')
    lines = [f"def {signature.name}({text}) -> {result}:"]
    lines += [
        ("    " + line).rstrip() for line in _docstring(row, signature, expected).splitlines()
    ]
    lines += ["    " + line for line in body]
    return "\n".join(lines) + "\n"


def _is_binary(row: Row) -> bool:
    return row.elementwise and len(row.inputs) == 2 and not row.attrs and not row.fixed


def _docstring(row: Row, signature: Signature, expected: Mapping[str, str]) -> str:
    lines = [f'"""{row.doc}', ""]
    if row.formula:
        lines += [
            f"Gradient: {row.formula}." if "/d" in row.formula else f"Formula: {row.formula}.",
            "",
        ]
    lines.append("Args:")
    for name in signature.parameters:
        text = ARGUMENTS.get(f"{row.name}.{name}", ARGUMENTS.get(name))
        if text is None:
            raise SystemExit(f"{row.name}: no text for the argument {name!r}")
        lines += textwrap.wrap(
            f"{name}: {text}", 92, initial_indent="    ", subsequent_indent="        "
        )
    lines += ["", "Raises:"]
    slugs = (
        "`shape-mismatch`"
        if len(row.inputs) > 1 or "shape" in signature.text
        else "`invalid-argument`"
    )
    if "dim" in signature.text:
        slugs += ", `dimension-out-of-range`"
    lines += [
        f"    GradvizError: {slugs}, `different-backends`."
        if len(row.inputs) > 1
        else f"    GradvizError: {slugs}.",
        "",
    ]
    lines += ["Example:", "    >>> import gradviz as gv"]
    result = expected.get(signature.name, "")
    lines += [f"    >>> {signature.example}", *("    " + line for line in result.splitlines())]
    return "\n".join(lines) + '\n"""'


def _call(inputs: list[str], attrs: str, shared: bool) -> str:
    arguments = ", ".join((["meta"] if shared else []) + inputs)
    return f"{arguments}{', ' + attrs if attrs else ''}"


def _attributes(row: Row, signature: Signature) -> str:
    """The canonical attributes as a tuple."""
    text = signature.canonical
    if text.startswith("*"):
        return text[1:]
    return f"({text}{',' if len(row.attrs) == 1 else ''})" if row.attrs else "()"


def _single(row: Row, signature: Signature) -> list[str]:
    given = _attributes(row, signature)
    prepare = [f"{line}" for line in signature.before]
    names = ", ".join(f"a{at}" for at in range(len(row.attrs)))
    unpack = [f"{names}{',' if len(row.attrs) == 1 else ''} = {given}"] if row.attrs else []
    shared = row.elementwise
    return [
        "if input.__class__ not in TENSORS:",
        f'    input = canon.tensor("{signature.name}", input)',
        *prepare,
        *unpack,
        "meta = input.node.meta",
        "try:",
        *([f"    canon.agree(_{row.name}_row, (input,), {names})"] if row.checked else []),
        f"    return meta.table.{row.name}({_call(['input'], names, shared)})  # type: ignore[no-any-return]",
        "except Exception as error:",
        f"    raise explain(error, _{row.name}_row, (input,), ({names}{',' if len(row.attrs) == 1 else ''})) from None",
    ]


def _binary(row: Row) -> list[str]:
    return [
        "if input.__class__ in TENSORS:",
        "    meta = input.node.meta",
        "    cls = other.__class__",
        "    try:",
        "        if cls in TENSORS:",
        "            others = other.node.meta",
        "            if others is meta:",
        f"                return meta.table.{row.name}(meta, input, other)  # type: ignore[no-any-return]",
        "            if others.table is meta.table and others.dtype is meta.dtype:",
        f"                return meta.table.{row.name}_wide(input, other)  # type: ignore[no-any-return]",
        "        elif cls is float or cls is int:",
        "            scalar = (meta.floats if cls is float else meta.ints).get(other)",
        "            if scalar is None:",
        "                scalar = number(meta, other)",
        "            if scalar is not None:",
        f"                return meta.table.{row.name}(meta, input, scalar)  # type: ignore[no-any-return]",
        "    except Exception as error:",
        f"        raise explain(error, _{row.name}_row, (input, other), ()) from None",
        f"return general(_{row.name}_row, [input, other], ())  # type: ignore[no-any-return]",
    ]


def _reflected(row: Row) -> str:
    lines = [
        f"def reflected_{row.name}(input: Tensor, other: Any) -> Tensor:",
        f'    """`{row.name}` with the tensor on the right."""',
        "    cls = other.__class__",
        "    if cls is float or cls is int:",
        "        meta = input.node.meta",
        "        scalar = (meta.floats if cls is float else meta.ints).get(other)",
        "        if scalar is None:",
        "            scalar = number(meta, other)",
        "        if scalar is not None:",
        "            try:",
        f"                return meta.table.{row.name}(meta, scalar, input)  # type: ignore[no-any-return]",
        "            except Exception as error:",
        f"                raise explain(error, _{row.name}_row, (scalar, input), ()) from None",
        f"    return general(_{row.name}_row, [other, input], ())  # type: ignore[no-any-return]",
    ]
    return "\n".join(lines) + "\n"


def _several(row: Row, signature: Signature) -> list[str]:
    inputs = signature.inputs or [item.name for item in row.inputs]
    given = _attributes(row, signature)
    body = list(signature.before)
    attrs, spread = ("attrs", ", *attrs") if row.attrs else ("()", "")
    if row.name in ("matmul", "linear") or row.name.startswith("conv"):
        if row.attrs:
            body.append(f"attrs = {given}")
            given = "attrs"
        tests = " and ".join(
            (
                f"({name} is None or {name}.__class__ in TENSORS)"
                if item.optional
                else f"{name}.__class__ in TENSORS"
            )
            for name, item in zip(inputs, row.inputs, strict=True)
        )
        first = inputs[0]
        rest = " and ".join(
            (
                f"({name} is None or {name}.node.meta.dtype is meta.dtype and {name}.node.meta.table is meta.table)"
                if item.optional
                else f"{name}.node.meta.dtype is meta.dtype and {name}.node.meta.table is meta.table"
            )
            for name, item in list(zip(inputs, row.inputs, strict=True))[1:]
        )
        check = (
            [f"        canon.agree(_{row.name}_row, ({', '.join(inputs)},){spread})"]
            if row.checked
            else []
        )
        body += [
            f"if {tests}:",
            f"    meta = {first}.node.meta",
            f"    if {rest}:",
            "        try:",
            *("    " + line for line in check),
            f"            return meta.table.{row.name}({', '.join(inputs)}{spread})  # type: ignore[no-any-return]",
            "        except Exception as error:",
            f"            raise explain(error, _{row.name}_row, ({', '.join(inputs)},), {attrs}) from None",
        ]
    body.append(
        f"return general(_{row.name}_row, [{', '.join(inputs)}], {given})  # type: ignore[no-any-return]"
    )
    return body


def _listed(names: Iterable[str]) -> str:
    return "(\n" + "".join(f'    "{name}",\n' for name in names) + ")"


def _mapped() -> str:
    lines = [
        f'    "{SIGNATURES[row].name}": ("{dunder}", "{reflected}"),\n'
        for row, (dunder, reflected) in OPERATORS.items()
    ]
    return "{\n" + "".join(lines) + "}"


def methods_source() -> str:
    """The text of `methods.py`."""
    names = [
        SIGNATURES[name].name for name in table if name in SIGNATURES and SIGNATURES[name].method
    ]
    names += list(ALIASES)
    lines = [
        HEADER.format(title="Operations as methods of tensors."),
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        "",
        "if TYPE_CHECKING:",
        "    from gradviz.tensor import autodiff, backward, composed, functions, hooks, values",
        "",
        "",
        "class TableMethods:  # noqa: PLW1641 - tensors hash by identity",
        '    """Every operation of the table; filled in by `gradviz.tensor.attach`."""',
        "",
        "    __slots__ = ()",
        "",
        "    if TYPE_CHECKING:",
    ]
    lines += [f"        {name} = functions.{ALIASES.get(name, name)}" for name in names]
    lines += [f"        {name} = composed.{RENAMED.get(name, name)}" for name in COMPOSED_METHODS]
    for name in (
        "require_grad",
        "set_require_grad",
        "detach",
        "retain_grad",
        "inner",
        "to",
    ):
        lines.append(f"        {name} = autodiff.{name}")
    for name in ("grad", "grad_remove", "grad_replace"):
        lines.append(f"        {name} = backward.{name}")
    lines.append("        register_hook = hooks.register_hook")
    lines.append("        from_inner = staticmethod(autodiff.from_inner)")
    # Last: from here on the name stands for the method.
    lines.append("        autodiff = autodiff.autodiff")
    for name, value in (
        ("numpy", "numpy"),
        ("item", "item"),
        ("tolist", "tolist"),
        ("__array__", "as_array"),
        ("__float__", "as_float"),
        ("__int__", "as_int"),
        ("__index__", "as_index"),
        ("__bool__", "as_bool"),
    ):
        lines.append(f"        {name} = values.{value}")
    for row, (dunder, reflected) in OPERATORS.items():
        lines.append(f"        {dunder} = functions.{SIGNATURES[row].name}")
        if reflected:
            lines.append(f"        {reflected} = functions.reflected_{row}")
    lines += [
        "        __getitem__ = composed.getitem",
        "        __eq__ = functions.eq  # type: ignore[assignment]",
        "        __ne__ = functions.ne  # type: ignore[assignment]",
        "",
        f"METHODS: tuple[str, ...] = {_listed(names)}",
        f"COMPOSED: tuple[str, ...] = {_listed(COMPOSED_METHODS)}",
        f"OPERATORS: dict[str, tuple[str, str]] = {_mapped()}",
        "",
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Writes the files, or compares them with `--check`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="only compare; exit code 1 where different"
    )
    options = parser.parse_args(arguments)
    if not options.check:
        functions, methods = HERE / "functions.py", HERE / "methods.py"
        # Twice: the examples run with the functions that the first writing brings.
        functions.write_text(functions_source({}), encoding="utf-8")
        methods.write_text(methods_source(), encoding="utf-8")
        functions.write_text(functions_source(_examples_anew()), encoding="utf-8")
        return 0
    try:
        expected = examples()
    except AttributeError:  # a function that isn't written yet
        expected = {}
    texts = {"functions.py": functions_source(expected), "methods.py": methods_source()}
    stale = [
        name
        for name, text in texts.items()
        if not (HERE / name).exists() or (HERE / name).read_text(encoding="utf-8") != text
    ]
    if stale:
        sys.stderr.write(
            f"out of date: {', '.join(stale)}; run python -m gradviz.tensor.generate\n"
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
