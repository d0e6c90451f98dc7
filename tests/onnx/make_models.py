"""Writes `models/`: networks as PyTorch's exporter writes them, with what PyTorch computes of them.

Run where torch and onnx are installed: python -m tests.onnx.make_models
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

FOLDER = Path(__file__).parent / "models"


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1, groups=4)
        self.bn2 = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8, 5)
        self.drop = nn.Dropout()

    def forward(self, x: Any) -> Any:
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = F.relu(x + F.hardswish(self.bn2(self.conv2(x))))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return F.log_softmax(self.fc(self.drop(x)), -1)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 1)

    def forward(self, x: Any) -> Any:
        return self.encoder(x)


class Recurrent(nn.Module):
    def __init__(self, kind: Any, **options: Any) -> None:
        super().__init__()
        self.layer = kind(4, 5, **options)

    def forward(self, x: Any) -> Any:
        return self.layer(x)


class Assorted(nn.Module):
    """Operations whose export is more than one node, or computes shapes."""

    def forward(self, x: Any) -> Any:
        b, c, h, w = x.shape
        top, places = torch.topk(x, 2, dim=-1)
        first, rest = torch.split(x, [1, c - 1], 1)
        return (
            x.view(b, c * h, w).transpose(1, 2),
            F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False),
            F.interpolate(x, size=(7, 9), mode="nearest"),
            F.interpolate(x, size=(3, 4), mode="bicubic", align_corners=True),
            F.pad(x, (1, 2, 0, 1), mode="reflect"),
            torch.where(x > 0, x, x.abs() * 2)[:, :, ::2, 1:],
            top,
            torch.gather(x, 3, places.clamp(max=w - 1)),
            torch.tril(torch.ones(w, w)).to(x) @ x.transpose(-1, -2),
            F.group_norm(x, 2),
            F.layer_norm(x, (6,)),
            F.instance_norm(x),
            torch.cat([rest, first], 1),
            torch.cumsum(x, 2),
            F.gelu(x),
            F.softplus(x),
            x.std(1),
            x.norm(dim=1),
            x.argmax(1),
            F.one_hot(places % 4, 4),
            x.expand(2, *x.shape),
            F.avg_pool2d(x, 3, 2, 1),
            F.max_pool2d(x, 2, ceil_mode=True),
            x.flip(1),
            torch.masked_fill(x, x > 1, 0.5),
            F.elu(x),
            x.clamp(-1, 1),
            torch.arange(w).float() + x,
        )


MODELS: dict[str, tuple[Any, tuple[int, ...], bool]] = {
    "block": (Block, (2, 3, 16, 16), True),
    "encoder": (Encoder, (2, 5, 16), True),
    "lstm": (lambda: Recurrent(nn.LSTM, batch_first=True, bidirectional=True), (2, 6, 4), True),
    "gru": (lambda: Recurrent(nn.GRU), (6, 2, 4), False),
    "rnn": (lambda: Recurrent(nn.RNN), (6, 2, 4), False),
    "assorted": (Assorted, (1, 4, 5, 6), False),
    "assorted_open": (Assorted, (1, 4, 5, 6), True),
}
"""Name -> the network, the shape of its input, and whether the batch's size is left open."""


def _flat(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value.numpy()]
    return [array for item in value for array in _flat(item)]


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, (make, shape, is_open) in MODELS.items():
        torch.manual_seed(0)
        model = make()
        model(torch.randn(shape))  # statistics that are not those of a fresh network
        model.eval()
        x = torch.randn(shape)
        torch.onnx.export(
            model,
            (x,),
            str(FOLDER / f"{name}.onnx"),
            opset_version=17,
            dynamo=False,
            input_names=["x"],
            dynamic_axes={"x": {0: "batch"}} if is_open else None,
        )
        with torch.no_grad():
            outputs = _flat(model(x))
        arrays = {f"output_{at}": array for at, array in enumerate(outputs)}
        np.savez_compressed(FOLDER / f"{name}.npz", x=x.numpy(), **arrays)


if __name__ == "__main__":
    main()
