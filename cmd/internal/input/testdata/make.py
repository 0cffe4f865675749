"""Writes the files of this folder with NumPy, and its sums of them to sums.json."""

import json
import numpy as np
from numpy.lib import format

sums = {}


def expect(name, key, x):
    """Notes what NumPy reads from a file, and sums to over all axes and over each."""
    axes = [None] + list(range(x.ndim))
    native = x.dtype.newbyteorder("=")
    sums[name + ":" + key] = {
        "dtype": x.dtype.name,
        "shape": list(x.shape),
        "sums": [np.sum(x, axis=a, dtype=native).ravel().tolist() for a in axes],
    }


def save(name, x, version=None):
    with open(name, "wb") as f:
        format.write_array(f, x, version=version)
    expect(name, "", np.load(name))


for i, kind in enumerate(["f2", "f4", "f8", "i4", "i8", "u4", "u8"]):
    for order, letter in (("<", "le"), (">", "be")):
        fortran = (i + (order == ">")) % 2 == 1
        x = (np.arange(6).reshape(2, 3) + 1).astype(order + kind, order="F" if fortran else "C")
        save(f"{kind}_{letter}_{'F' if fortran else 'C'}.npy", x)
save("scalar.npy", np.array(7, "<f4"))
save("empty.npy", np.zeros((2, 0, 3), "<f8"))
save("version2.npy", np.arange(4, dtype="<i4"), (2, 0))
save("version3.npy", np.arange(4, dtype=">i4"), (3, 0))

with open("two.npy", "wb") as f:
    np.save(f, np.arange(3, dtype="<f4"))
    np.save(f, np.arange(9, dtype="<i8"))
expect("two.npy", "", np.load("two.npy"))

arrays = {"weight": np.arange(6, dtype=">f4").reshape(3, 2), "layer.0/bias": np.asfortranarray(np.arange(4).reshape(2, 2) - 9)}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
for name in ("stored.npz", "deflated.npz"):
    for key, x in np.load(name).items():
        expect(name, key, x)

with open("sums.json", "w") as f:
    json.dump(sums, f, indent=0)
    f.write("\n")
