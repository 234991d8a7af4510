"""make_narrow_vectors.py > narrow_vectors.h - floats, and what ml_dtypes makes of them, as rows of C."""

import warnings

import ml_dtypes
import numpy as np

NAMES = ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
         "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")


def hard_values(dtype):
    """Ordinary ones, ties and their neighbours, subnormals, and what lies beyond the largest."""
    info = ml_dtypes.finfo(dtype)
    least, most = float(info.smallest_subnormal), float(info.max)
    values = [0, 1, -1.5, 3, least, least * 0.5, least * 0.5000001, least * 1.5, least * 2.5, -least, most, -most, most * 1.01, most * 1.07,
              most * 1.5, np.inf, -np.inf, np.nan, -0.0, 1 + float(info.eps) / 2, 1 + float(info.eps) * 1.5]
    return np.array(values, "f4")


def rows():
    for name in NAMES:
        dtype = np.dtype(getattr(ml_dtypes, name))
        values = hard_values(dtype)
        codes = values.astype(dtype)
        for bits, code, value in zip(values.view("u4"), codes.view(f"u{dtype.itemsize}"), codes.astype("f4").view("u4")):
            yield f'    {{"{name}", 0x{bits:08x}, 0x{code:04x}, 0x{value:08x}}},'


warnings.simplefilter("ignore")
print(f"/* Made by make_narrow_vectors.py with ml_dtypes {ml_dtypes.__version__}: type, a float, its code, the code's value. */")
print("/* clang-format off */\nstatic const struct {\n    const char *type;\n    uint32_t bits;\n    uint16_t code;\n    uint32_t value;\n} vectors[] = {")
print("\n".join(rows()))
print("};\n/* clang-format on */")
