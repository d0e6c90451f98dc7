"""Modules: functions with parameters, nested by attribute."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from os import PathLike
from reprlib import recursive_repr
from typing import Any, Self

from gradviz.core.context import leave
from gradviz.core.handle import Handle
from gradviz.errors import GradvizRuntimeError, fail
from gradviz.nn import hooks, inference, moving, registry, state
from gradviz.nn.parameter import Buffer, Parameter
from gradviz.nn.registering import check_assignment, check_name
from gradviz.nn.scope import opened
from gradviz.nn.text import represent
from gradviz.nn.tree import Tree
from gradviz.tensor.base import Tensor, views
from gradviz.tensor.elsewhere import OF_NETS, no_attribute


class Module(Tree):
    """A function with parameters; subclasses set attributes and define `forward`.

    Attributes that are a `Parameter`, a `Buffer` or a module belong to the module: nothing else has
    to be registered. A plain tensor or a list of modules stays an ordinary attribute.

    Example:
        >>> import gradviz as gv
        >>> class Scale(gv.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.gain = gv.nn.Parameter([2.0])
        ...     def forward(self, x):
        ...         return x * self.gain
        >>> model = Scale()
        >>> model(gv.tensor([3.0])).tolist(), [name for name, _ in model.named_parameters()]
        ([6.0], ['gain'])
    """

    training: bool
    _label: str | None = None
    """Its name in the module that holds it."""
    _hooks: hooks.Hooks | None = None

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:  # noqa: D102
        # Here and not in `__init__`, so that copies and unpickled modules are known as well.
        made = super().__new__(cls)
        registry.note_module(made)
        return made

    def __init__(self) -> None:
        self.training = True

    # --- calling -------------------------------------------------------------------------------
    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - `forward` says it
        token = opened(self)
        try:
            if self._hooks is not None:
                return self._hooks.call(self, args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            leave(token)

    def register_forward_hook(
        self, hook: hooks.Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Calls a function behind every call of the module; what it returns is the result then.

        Args:
            hook: takes the module, the tuple of its arguments and its result; returns None to leave
                the result as it is.
            prepend: whether it runs before the hooks that are there already.
            with_kwargs: whether the hook takes the keyword arguments behind the others.

        Returns:
            A handle, whose `remove()` takes the hook off; also a context manager.

        Raises:
            GradvizError: `invalid-argument` for what can't be called.

        Example:
            >>> import gradviz as gv
            >>> net = gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.ReLU())
            >>> seen = []
            >>> with net[0].register_forward_hook(lambda layer, args, out: seen.append(out.shape)):
            ...     y = net(gv.ones(4, 2))
            >>> seen
            [(4, 3)]
        """
        return hooks.add(self._own_hooks().behind, hook, first=prepend, with_kwargs=with_kwargs)

    def register_forward_pre_hook(
        self, hook: hooks.Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Calls a function before every call of the module; what it returns are its arguments then.

        Args:
            hook: takes the module and the tuple of its arguments; returns None to leave them, a
                tuple, or a single argument.
            prepend: whether it runs before the hooks that are there already.
            with_kwargs: whether the hook takes the keyword arguments too, and returns both.

        Returns:
            A handle, whose `remove()` takes the hook off; also a context manager.

        Raises:
            GradvizError: `invalid-argument` for what can't be called.
        """
        return hooks.add(self._own_hooks().before, hook, first=prepend, with_kwargs=with_kwargs)

    def _own_hooks(self) -> hooks.Hooks:
        if self._hooks is None:
            vars(self)["_hooks"] = hooks.Hooks()
        return vars(self)["_hooks"]  # type: ignore[no-any-return]

    def _forward_is_missing(self, *args: Any, **kwargs: Any) -> Any:
        raise _no_forward(self)

    # Declared as a value, so that a subclass may choose the parameters of its own `forward`.
    forward: Callable[..., Any] = _forward_is_missing

    # --- attributes ----------------------------------------------------------------------------
    def __setattr__(self, name: str, value: Any) -> None:
        held = vars(self)
        if name == "training":
            held[name] = bool(value)
            return
        old = held.get(name)
        value = check_assignment(self, name, old, value)
        if isinstance(value, Module):
            value._take_name(self._name_of(name, value))
        held[name] = value
        if old is not value:
            if isinstance(old, Parameter):
                registry.note_replaced([old])
            elif isinstance(old, Module):
                registry.note_replaced(list(old.parameters()))

    def _take_name(self, name: str) -> None:
        """Notes what it is called in the module that holds it, for its scope."""
        vars(self)["_label"] = name

    def _name_of(self, name: str, _module: Module) -> str:
        """What the scope of a module is called that it holds under a name."""
        return name

    def __getattr__(self, name: str) -> Any:
        # Only asked for what isn't there.
        owner = f"{type(self).__name__!r} object"
        if "training" not in vars(self) and name != "training":
            hint = "its __init__ must call super().__init__() first"
            raise AttributeError(f"{owner} has no attribute {name!r}: {hint}")
        raise no_attribute(owner, name, OF_NETS.get(name))

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Sets an attribute that holds a parameter, or None for one that is left out.

        Raises:
            GradvizError: `invalid-argument` for a name that is taken or no attribute's name.
        """
        check_name(self, name, Parameter, param)
        setattr(self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Sets an attribute that holds a buffer: a tensor that belongs to the module untrained.

        Args:
            name: the attribute.
            tensor: its value, of any shape and dtype, or None.
            persistent: whether `state_dict` holds it.

        Raises:
            GradvizError: `invalid-argument` for a name that is taken or no attribute's name.

        Example:
            >>> import gradviz as gv
            >>> model = gv.nn.Identity()
            >>> model.register_buffer("steps", gv.zeros(1))
            >>> list(model.state_dict())
            ['steps']
        """
        check_name(self, name, Tensor, tensor)
        setattr(self, name, None if tensor is None else Buffer(tensor, persistent=persistent))

    def add_module(self, name: str, module: Module | None) -> None:
        """Sets an attribute that holds a module.

        Raises:
            GradvizError: `invalid-argument` for a name that is taken or no attribute's name.
        """
        check_name(self, name, Module, module)
        setattr(self, name, module)

    register_module = add_module

    # --- modes ---------------------------------------------------------------------------------
    def train(self, mode: bool = True) -> Self:
        """Switches the module and all in it to training, or to evaluation; returns it."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Switches the module and all in it to evaluation; returns it."""
        return self.train(False)

    def freeze(self) -> Self:
        """Makes constants of all parameters, in place, until `unfreeze`; returns the module.

        An optimizer keeps them and leaves them as they are.

        Example:
            >>> import gradviz as gv
            >>> layer = gv.nn.Linear(2, 1).freeze()
            >>> layer(gv.ones(2)).is_tracked, layer.unfreeze()(gv.ones(2)).is_tracked
            (False, True)
        """
        for parameter in self.parameters():
            moving.freeze(parameter)
        return self

    def unfreeze(self) -> Self:
        """Marks all parameters as requiring gradients, in place; returns the module.

        Raises:
            GradvizError: `require-grad-on-plain-kind` for an inference copy.
        """
        for parameter in self.parameters():
            moving.unfreeze(parameter)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """`unfreeze()`, or `freeze()` for False; returns the module."""
        return self.unfreeze() if requires_grad else self.freeze()

    def valid(self) -> Self:
        """A copy for inference: its parameters and outputs have the plain kind.

        The copy is in evaluation mode and keeps the values of this moment.

        Example:
            >>> import gradviz as gv
            >>> gv.nn.Linear(2, 1).valid()(gv.ones(2)).kind
            NdArray
        """
        made: Self = inference.copy_of(self)
        return made

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls `fn` with every module in it and then with the module itself; returns it."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def to(self, target: Any = None, *, dtype: Any = None, device: Any = None) -> Self:
        """Moves all parameters and buffers, in place; returns the module.

        Args:
            target: a device or its name, or a floating point dtype or its name.
            dtype: the dtype of floating point parameters and buffers, by name.
            device: the device, by name; parameters live on its autodiff form.

        Raises:
            GradvizError: `invalid-argument` for the capture device or a dtype without gradients.
        """
        moving.move(self, target, dtype, device)
        return self

    def float(self) -> Self:
        """All floating point parameters and buffers as float32, in place; returns the module."""
        return self.to(dtype="float32")

    def double(self) -> Self:
        """All floating point parameters and buffers as float64, in place; returns the module."""
        return self.to(dtype="float64")

    def half(self) -> Self:
        """All floating point parameters and buffers as float16, in place; returns the module."""
        return self.to(dtype="float16")

    # --- state ---------------------------------------------------------------------------------
    def state_dict(self) -> dict[str, Any]:
        """All parameters and persistent buffers as NumPy arrays by dotted path; copies.

        Example:
            >>> import gradviz as gv
            >>> {name: array.shape for name, array in gv.nn.Linear(2, 1).state_dict().items()}
            {'weight': (1, 2), 'bias': (1,)}
        """
        return state.collect(self)

    def load_state_dict(self, state_dict: Any, strict: bool = True) -> state.IncompatibleKeys:
        """Gives parameters and buffers the values of a `state_dict`; all of them, or none.

        Args:
            state_dict: arrays or tensors by dotted path.
            strict: whether a missing or unexpected path is an error.

        Returns:
            The missing and the unexpected paths.

        Raises:
            GradvizError: `invalid-argument` for paths that don't fit, `shape-mismatch`. Nothing
                has changed then.
        """
        return state.load(self, state_dict, strict)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the state to a file, which appears when it is complete.

        Args:
            path: the file. One that ends in `.safetensors` gets that format, which PyTorch and
                others read; any other is an `.npz` file, which is added where it is left out.

        Raises:
            GradvizError: `missing-extra` where `.safetensors` is asked for and the package of that
                name isn't installed (the extra `safetensors`).
        """
        state.save(self, path)

    def load(self, path: str | PathLike[str], strict: bool = True) -> state.IncompatibleKeys:
        """Reads the state from a file that `save` wrote, or another library in the same format.

        bfloat16 values of a `.safetensors` file are read as float32; all values get the dtypes of
        the parameters and buffers.

        Args:
            path: the file, whose ending says what it is; `.npz` may be left out.
            strict: whether a missing or unexpected path is an error.

        Raises:
            GradvizError: `invalid-argument` for a file that is missing or no such file;
                `missing-extra` as in `save`; otherwise as `load_state_dict`.
        """
        return state.load(self, state.read(path), strict)

    # --- text ----------------------------------------------------------------------------------
    def extra_repr(self) -> str:
        """What stands in the brackets of the representation; for subclasses to define."""
        return ""

    @recursive_repr("(...)")
    def __repr__(self) -> str:
        return represent(type(self).__name__, self.extra_repr(), list(self.held(Module)))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        view = views.get("module")
        return None if view is None else view(self)


def _no_forward(module: Module) -> Exception:
    name = type(module).__name__
    close = get_close_matches("forward", [n for n in dir(type(module)) if n != "forward"], 1, 0.8)
    advice = f"Define `forward(self, ...)` in the class {name}."
    if close:
        advice = f"Rename `{close[0]}` to `forward`."
    return fail(
        "invalid-argument",
        operation=name,
        complaint="the class has no forward method",
        reason="calling a module runs its `forward`, which computes the outputs.",
        advice=advice,
        error=GradvizRuntimeError,
    )
