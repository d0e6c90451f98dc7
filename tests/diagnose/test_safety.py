"""What may be run again to try a fix: nothing that touches files, processes, the network or shared objects."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import gradviz as gv
from gradviz.diagnose.program import Program
from gradviz.diagnose.safety import is_safe

REFUSED = r"""
open("data.txt").read()
import os
import os.path
import sys
import subprocess
import socket
import urllib.request
import requests
import shutil
import pathlib
import pickle
import importlib
import ctypes
import threading
from os import remove
from pathlib import Path
from . import secrets
from numpy.ctypeslib import load_library
eval("1 + 1")
exec("x = 1")
compile("1", "", "eval")
__import__("os")
globals()["x"]
locals()
vars()
input()
breakpoint()
getattr(gv, "tensor")
setattr(gv, "tensor", None)
delattr(gv, "x")
().__class__.__bases__[0].__subclasses__()
gv.__dict__
gv.tensor.__globals__
gv.tensor([1.0]).__reduce__()
import numpy as np; np.save("x", [1])
import numpy as np; np.load("x")
import numpy as np; np.fromfile("x")
import numpy as np; np.array([1]).tofile("x")
import numpy as np; np.lib.npyio.DataSource("http://example.org")
import numpy as np; np.memmap("x")
gv.graph(1).save("x.svg")
client.fetch("http://example.org")
model.push_to_hub("x")
database.commit()
unknown()
global x
del x
async def f(): await g()
captured.to_onnx("x.onnx")
gv.from_onnx("x.onnx")
try: x = 1\nexcept: pass
try: x = 1\nexcept BaseException: pass
try: x = 1\nexcept (ValueError, BaseException): pass
import numpy as np; keep = np.save; keep("x", 1)
import numpy as np; list(map(np.load, ["x"]))
import numpy as np; np.ctypeslib.as_array(1)
from numpy import save
from operator import methodcaller
import operator; operator.attrgetter("x")(gv)
""".strip().split("\n")

ALLOWED = r"""
x = gv.tensor([1.0]).autodiff().require_grad()
y = (x @ x.T + 1.0) ** 2
from collections import defaultdict; d = defaultdict(list); d["a"].append(1)
import math; y = math.sqrt(2.0)
import numpy as np; y = np.stack([np.ones(3), np.zeros(3)]).sum()
import numpy as np; rng = np.random.default_rng(0); y = rng.normal(size=3)
from dataclasses import dataclass
net = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.ReLU()); y = net(gv.ones(2))
opt = gv.optim.SGD([gv.ones(1, requires_grad=True)], lr=0.1)
print("loss", 3.0)
losses = []; losses.append(1.0); best = min(losses); losses.sort()
y = [n.strip().upper() for n in "a,b".split(",")]
y = sorted({"a": 1}.items(), key=lambda item: item[1])
f = lambda x: x * 2; y = f(3)
y = (lambda v: v + 1)(2)
class A(gv.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = gv.nn.Parameter([1.0])
with gv.no_grad(): y = gv.ones(2)
@gv.no_grad()\ndef f(x):\n    return x
captured = gv.capture(lambda x: x, gv.ones(2)); y = captured.run([1.0, 2.0])
layers = [abs]; y = layers[0](-1)
try:\n    y = 1\nexcept ValueError as error:\n    print(error)
assert isinstance(3, int)
x = 1; x += 2
""".strip().split("\n")


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    text = text.replace("\\n", "\n")
    assert not is_safe(Program("cell", f"import gradviz as gv\n{text}"), None)


@pytest.mark.parametrize("text", ALLOWED)
def test_allowed(text: str) -> None:
    text = text.replace("\\n", "\n")
    assert is_safe(Program("cell", f"import gradviz as gv\n{text}"), None)


class Foreign:
    def __call__(self) -> None:
        raise AssertionError("never called")


def notebook() -> dict[str, Any]:
    def own(x: Any) -> Any:
        return x

    def shell_of_now() -> Any: ...

    own.__module__ = "__main__"
    shell_of_now.__module__ = "IPython.core.getipython"
    return {
        "gv": gv,
        "net": gv.nn.Linear(2, 1),
        "w": gv.ones(2, requires_grad=True),
        "history": [],
        "settings": {},
        "own": own,
        "foreign": Foreign(),
        "plt": ModuleType("matplotlib.pyplot"),
        "get_ipython": shell_of_now,
        "Linear": gv.nn.Linear,
    }


@pytest.mark.parametrize(
    "text",
    [
        "y = net(gv.ones(2)); loss = (y * w[0]).sum()",
        "mine = []; mine.append(1)",
        "layer = Linear(2, 1); layer.freeze()",
        "out = history + [1]",
        "net2 = gv.nn.Linear(2, 1); net2.weight = net2.weight",
        "h = (w * 3).retain_grad(); v = (-w).detach().require_grad()",
        "v = w.detach().require_grad()",
        "get_ipython().run_line_magic('load_ext', 'gradviz')",
        "text = get_ipython().system('pip list')",
        "plt.plot(history); plt.show()",
        "figure, axes = plt.subplots(); axes.set_title('loss'); figure.savefig('loss.png')",
        "import seaborn as sns\nwith sns.axes_style('dark') as style: style.update()",
        "from tqdm.auto import tqdm\nfor n in tqdm(range(3)): tqdm.write(str(n))",
        "import logging\nlog = logging.getLogger('x'); log.info('%s', w.sum().item())",
    ],
)
def test_a_cell_may_use_what_the_notebook_shares(text: str) -> None:
    assert is_safe(Program("cell", "import gradviz as gv\n" + text), notebook())


@pytest.mark.parametrize(
    "text",
    [
        "history.append(1)",
        "settings['lr'] = 0.1",
        "settings['lr'] += 0.1",
        "net.scale = 3",
        "net.freeze()",
        "net.eval()",
        "net.weight.require_grad()",
        "net.get(w * 3).require_grad()",
        "net.detach(w).require_grad()",
        "w.require_grad()",
        "opt.step(grads)",
        "net.load_state_dict({})",
        "get()[0].append(1)",
        "foreign()",
        "own(3)",
        "(history).extend([1])",
        "net.weight.data[0] = 1",
        "history[0].clear()",
        "def get_ipython(): return foreign\nget_ipython().system('ls')",
        "plt = foreign\nplt.plot()",
        "plt.plot(foreign())",
        "def f():\n    import matplotlib as foreign\nforeign()",
        "def f():\n    import matplotlib as open\nopen('x')",
        "import matplotlib.pyplot as show\nfor show in history: show.wipe()",
        "import matplotlib.pyplot as save\nfrom numpy import *\nsave('x', 1)",
        "import matplotlib.pyplot as plt\nwith foreign as plt: plt.wipe()",
        "import matplotlib.pyplot as plt\nmatch history:\n    case [plt]: plt.wipe()",
        "import matplotlib.pyplot as plt\nplt += foreign\nplt.wipe()",
        "import matplotlib.pyplot as plt\nplt: object = foreign\nplt.wipe()",
        "import matplotlib.pyplot as plt\n[plt.wipe() for plt in history]",
        "import matplotlib.pyplot as plt\n(lambda plt: plt.wipe())(foreign)",
        "fig = plt.figure()\nfig = foreign\nfig.wipe()",
    ],
)
def test_a_cell_that_changes_shared_objects_is_not_run_again(text: str) -> None:
    assert not is_safe(Program("cell", "import gradviz as gv\n" + text), notebook())


def test_looking_runs_nothing() -> None:
    class Loud(dict):
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    space = notebook() | {"loud": Loud()}
    assert is_safe(Program("cell", "x = loud"), space)


OWN = """\
import gradviz as gv

class Log:
    def save(self, line):
        self.line = line

    def write(self, line):
        self.save(line)

log = Log()
net = gv.nn.Linear(1, 1)
"""


def test_own_methods_with_dangerous_names_may_run() -> None:
    assert is_safe(
        Program("own.py", OWN + "log.write('a')\nlog.save('b')\nLog().save('c')\n"), None
    )
    layers = "class Net(gv.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    layers += "        self.write = gv.nn.Linear(1, 1)\n    def forward(self, x):\n"
    assert is_safe(Program("net.py", OWN + layers + "        return self.write(x)\n"), None)


@pytest.mark.parametrize(
    "line",
    [
        "net.save('net.npz')",
        "net.write('net.npz')",
        "gv.graph(net.weight).save('g.svg')",
        "for log in [net]: log.save('net.npz')",
        "log = net\nlog.save('net.npz')",
        "def keep(log): log.save('net.npz')\nkeep(net)",
        "[log.save('net.npz') for log in [net]]",
        "class Net(gv.nn.Linear):\n    def save(self, path): super().save(path)\n",
        "self = net\nself.save('net.npz')",
        "class Kept:\n    def __init__(self): self.save = net.save\n    def go(self): self.save('net.npz')\n",
        "import functools\nkeep = functools.partial(net.save, 'net.npz')\nkeep()",
        "keep = net.save\nkeep('net.npz')",
    ],
)
def test_such_names_on_other_objects_may_not(line: str) -> None:
    assert not is_safe(Program("other.py", OWN + line + "\n"), None)
