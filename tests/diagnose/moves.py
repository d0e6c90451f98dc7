"""The statements of random programs: operations, cuts, marks, modules, backward passes."""

from __future__ import annotations

from collections.abc import Callable

from tests.diagnose.writer import (
    FLAT,
    LIFTED,
    LIFTED_CAPTURE,
    MAT,
    ONE,
    PLAIN,
    SMOOTH,
    VEC,
    Var,
    Writer,
)

Move = Callable[[Writer], None]


def smooth(w: Writer) -> None:
    if a := w.pick():
        name = w.random.choice(SMOOTH)
        text = f"{a.name}.{name}()" if w.random.random() < 0.7 else f"gv.{name}({a.name})"
        w.result(text, [a], a.shape)


def scaled(w: Writer) -> None:
    if a := w.pick():
        text = w.random.choice(
            ("{} * 2.0", "{} + 1.0", "1.0 - {}", "{} / 2.0", "{} ** 2", "2.0 * {}")
        )
        w.result(text.format(a.name), [a], a.shape)


def joined(w: Writer) -> None:
    a, b = w.pick(), w.pick()
    if a and b:
        text = w.random.choice(("{} + {}", "{} * {}", "{} - {}", "{} / {}", "gv.maximum({}, {})"))
        shape = max(a.shape, b.shape, key=len)
        w.result(text.format(a.name, b.name), [a, b], shape)


def chosen(w: Writer) -> None:
    mask, a, b = w.pick("bool", (VEC,)), w.pick(shapes=(ONE, VEC)), w.pick(shapes=(VEC,))
    if mask and a and b:
        w.result(f"gv.where({mask.name}, {a.name}, {b.name})", [a, b, mask], VEC)


def listed(w: Writer) -> None:
    a, b = w.pick(shapes=(VEC,)), w.pick(shapes=(VEC,))
    if a and b:
        w.result(f"gv.stack([{a.name}, {b.name}])", [a, b], MAT)


def reduced(w: Writer) -> None:
    if a := w.pick(shapes=(VEC, MAT)):
        name = w.random.choice(("sum", "mean", "amax"))
        w.result(f"{a.name}.{name}()", [a], ONE)


def narrowed(w: Writer) -> None:
    if a := w.pick(shapes=(MAT,)):
        text = w.random.choice(("{}.sum(dim=0)", "{}[0]", "{}.mean(dim=0)"))
        w.result(text.format(a.name), [a], VEC)


def ordered(w: Writer) -> None:
    """An operation of two results, of which the second is indices."""
    if a := w.pick(shapes=(VEC,)):
        first = w.result("", [a], VEC, say=False)
        second = w.result("", [a], VEC, "int", differentiable=False, say=False)
        if first.name == second.name:
            w.names[first.name] = second
        w.say(f"{first.name}, {second.name} = {a.name}.sort()")


def flat(w: Writer) -> None:
    if a := w.pick():
        w.result(f"{a.name}.{w.random.choice(FLAT)}()", [a], a.shape, flat=True)


def undifferentiable(w: Writer) -> None:
    if a := w.pick(shapes=(VEC,)):
        how = w.random.randrange(4)
        if how == 0:
            w.result(f"{a.name}.argmax()", [a], ONE, "int", differentiable=False)
        elif how == 1:
            w.result(f"{a.name} > 0.0", [a], VEC, "bool", differentiable=False)
        elif how == 2:
            w.result(f"{a.name}.long()", [a], VEC, "int", differentiable=False)
        else:
            w.result(f"gv.isnan({a.name})", [a], VEC, "bool", differentiable=False)


def floated(w: Writer) -> None:
    if a := w.pick(w.random.choice(("int", "bool"))):
        w.result(f"{a.name}.float()", [a], a.shape)


def cut(w: Writer) -> None:
    a = w.pick()
    if a is None:
        return
    how = w.random.randrange(3)
    text = (f"{a.name}.detach()", f"{a.name}.set_require_grad(False)", f"{a.name}.inner()")[how]
    if how == 2 and (w.capture or a.kind == PLAIN):
        return
    w.add(text, Var(w.fresh(), a.sort, a.shape, PLAIN if how == 2 else a.kind))


def lifted(w: Writer) -> None:
    a = w.pick(kind=PLAIN)
    if a and not w.capture:
        text = w.random.choice(
            ("{}.autodiff()", "gv.Tensor.from_inner({})", '{}.to(gv.device("ndarray").autodiff())')
        )
        w.add(text.format(a.name), Var(w.fresh(), a.sort, a.shape, LIFTED))


def read(w: Writer) -> None:
    """Values leave through NumPy or lists and come back as a new tensor."""
    a = w.pick(shapes=(VEC, MAT))
    if a and not w.capture:
        text = w.random.choice(
            ("gv.tensor({}.numpy()", "gv.tensor({}.tolist()", "gv.from_numpy({}.numpy()")
        )
        marked = w.random.random() < 0.4
        var = Var(
            w.fresh(), a.sort, a.shape, LIFTED if marked else PLAIN, "grad" if marked else "none"
        )
        w.add(text.format(a.name) + (", requires_grad=True)" if marked else ")"), var)


def mark(w: Writer) -> None:
    """Marks a leaf or an untracked result, which may have been used already."""
    kind = LIFTED_CAPTURE if w.capture else LIFTED
    if a := w.pick(kind=kind, requirement="none"):
        w.say(w.random.choice(("{}.require_grad()", "{}.set_require_grad(True)")).format(a.name))
        a.requirement = "grad"


def retain(w: Writer) -> None:
    if a := w.pick(requirement="grad_in_backward"):
        w.say(f"{a.name}.retain_grad()")
        a.retained = True


def build(w: Writer) -> None:
    if w.capture or len(w.modules) > 1:
        return
    name = f"net{len(w.modules)}"
    w.say(f"{name} = gv.nn.Sequential(gv.nn.Linear(3, 3), gv.nn.Tanh(), gv.nn.Linear(3, 3))")
    w.modules[name] = []
    for layer in (0, 2):
        for part, shape in (("weight", (3, 3)), ("bias", VEC)):
            path = f"{name}[{layer}].{part}"
            w.names[path] = Var(path, "float", shape, LIFTED, "grad")
            w.modules[name].append(w.names[path])


def freeze(w: Writer) -> None:
    if w.modules:
        name = w.random.choice(list(w.modules))
        part, parameters = w.random.choice(
            (("", w.modules[name]), ("[0]", w.modules[name][:2]), ("[2]", w.modules[name][2:]))
        )
        off = w.random.random() < 0.6
        w.say(f"{name}{part}.{'freeze' if off else 'unfreeze'}()")
        for parameter in parameters:
            parameter.requirement = "none" if off else "grad"


def call(w: Writer) -> None:
    a = w.pick(shapes=(VEC, MAT))
    if not w.modules and not w.indent:
        build(w)
    if a and w.modules:
        name = w.random.choice(list(w.modules))
        if w.random.random() < 0.2:
            # An inference copy: its parameters are plain constants.
            copies = [Var(p.name, "float", p.shape, PLAIN) for p in w.modules[name]]
            w.result(f"{name}.valid()({a.name})", [a, *copies], a.shape)
            return
        # Three operations, each with its own inputs, one statement.
        first, second = w.modules[name][:2], w.modules[name][2:]
        hidden = w.result("", [a, *first], a.shape, name="_", say=False)
        bent = w.result("", [hidden], a.shape, name="_", say=False)
        del w.names["_"]
        w.result(f"{name}({a.name})", [bent, *second], a.shape)


def backward(w: Writer) -> None:
    """A backward pass in the middle, which uses the graph up or keeps it."""
    a = w.pick(kind=LIFTED)
    if a is None or not a.tracked or any(step.consumed for step in a.steps):
        return
    w.count += 1
    grads = f"g{w.count}"
    if w.random.random() < 0.4:
        w.say(f"{grads} = {a.name}.backward(retain_graph=True)")
    else:
        w.say(f"{grads} = {a.name}.backward()")
        for step in a.steps:
            step.consumed = True
    leaves = [
        leaf
        for leaf in a.reached
        if w.names.get(leaf.name) is leaf and leaf.shape in (ONE, VEC, MAT)
    ]
    if leaves and w.random.random() < 0.6:
        leaf = min(leaves, key=lambda var: var.name)
        w.add(f"{leaf.name}.grad({grads})", Var(w.fresh(), "float", leaf.shape, PLAIN))


MOVES: tuple[tuple[int, Move], ...] = (
    (5, Writer.leaf),
    (7, smooth),
    (5, scaled),
    (9, joined),
    (2, chosen),
    (2, listed),
    (4, reduced),
    (2, narrowed),
    (1, ordered),
    (2, flat),
    (3, undifferentiable),
    (2, floated),
    (4, cut),
    (2, lifted),
    (2, read),
    (4, mark),
    (1, retain),
    (2, build),
    (2, freeze),
    (4, call),
    (2, backward),
)


def written(seed: int) -> Writer:
    """The program of a seed."""
    w = Writer(seed)
    if w.capture:
        w.lifted_capture = w.random.random() < 0.6
        w.say(f'device = gv.device("capture"){".autodiff()" if w.lifted_capture else ""}')
        w.say("scope = gv.capture_scope(device)")
        w.say("scope.__enter__()")
    weights, moves = zip(*MOVES, strict=True)
    while w.pick() is None:
        w.leaf()
    wanted = len(w.lines) + w.random.randint(3, 18)
    while len(w.lines) < wanted:
        (move,) = w.random.choices(moves, weights)
        block = w.random.random()
        if block < 0.07:
            w.grad_enabled = False
            _block(w, "with gv.no_grad():", move)
            w.grad_enabled = True
        elif block < 0.12:
            _block(w, 'with gv.scope("part"):', move)
        else:
            move(w)
    return w


def _block(w: Writer, head: str, move: Move) -> None:
    before = len(w.lines)
    w.indent = "    "
    move(w)
    w.indent = ""
    if len(w.lines) > before:
        w.lines.insert(before, head)
