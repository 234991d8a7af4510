"""Texts of a file as a model of a report has them."""

from __future__ import annotations

import base64
import math

TEXT_MAX = 2000  # characters of a value


def text_of(value) -> str:
    """Text that is no UTF-8 in the form that h5zarr takes it in."""
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape" if _escaped(value) else "surrogatepass")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(data.replace(b"\0", b"")).decode()


def _escaped(value):
    return all("\udc80" <= c <= "\udcff" for c in str(value) if "\ud800" <= c <= "\udfff")


def cut(text):
    return (text, None) if len(text) <= TEXT_MAX else (text[:TEXT_MAX], f"(the first {TEXT_MAX} of {len(text)} characters)")


def sizes(numbers):
    return "(" + ", ".join(map(str, numbers)) + (",)" if len(numbers) == 1 else ")")


def number(value) -> str:
    """The fewest digits that read as the same number; whole ones without a point."""
    text = str(abs(value) if value == 0 else value.astype("f4") if getattr(value, "dtype", None) == "f2" else value)
    return text[:-2] if text.endswith(".0") else text


def product(numbers):
    return math.prod(int(n) for n in numbers)
