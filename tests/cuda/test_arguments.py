# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Structs of arguments: kernels find each member at the word that the host fills in."""

import numpy as np
import pytest

from lux.algorithms.bfs import multi_gpu
from lux.algorithms.bfs.distributed.degree_separated import gpu_plan
from lux.algorithms.bfs.distributed.grid import gpu_search
from lux.algorithms.components import multi_gpu as components_multi_gpu
from lux.algorithms.factorization.gpu_text import Shape
from lux.algorithms.multi_gpu.arguments import Arguments
from lux.algorithms.sssp import multi_gpu as sssp_multi_gpu
from lux.codegen.cuda_struct import first_words, n_words, struct_text
from lux.engine.gpu.placement import bandwidth_probe
from lux_on_cores.compiled import OnCoresError, compiled

FLOAT = np.dtype(np.float32)
FACTORS = {moved: Shape(20, FLOAT, "als", 3, FLOAT, np.dtype(np.int32), 8192, moved).members for moved in (False, True)}
NAMED = "using Offset = u64; using COUNT = u32; using REAL = float; using RATING = float; struct Control;"
STRUCTS = {
    "bfs": multi_gpu.MEMBERS,
    "components": components_multi_gpu.MEMBERS,
    "sssp": sssp_multi_gpu.members(FLOAT, FLOAT),
    "grid": gpu_search.MEMBERS,
    "degree-separated, 1 GPU": gpu_plan.members(1),
    "degree-separated, 3 GPUs": gpu_plan.members(3),
    "factorization": FACTORS[False],
    "factors that Legion moves": FACTORS[True],
    "bandwidths": bandwidth_probe.MEMBERS | {"peer": "const u32*[3]"},
}


def offsets(members):
    """The offset of each member, and the size of the struct, as a compiler says."""
    noted = " ".join(f"at[{k}] = offsetof(Args, {name});" for k, name in enumerate(members))
    text = f'#include <cstddef>\n#include "common.cuh"\nusing namespace std;\n{NAMED}\n{struct_text(members)}'
    text += f'extern "C" void lux_offsets(u64* at) {{ {noted} at[{len(members)}] = sizeof(Args); }}\n'
    found = np.zeros(len(members) + 1, np.uint64)
    words = np.array([found.ctypes.data], np.int64)
    assert compiled(text, "lux_offsets")(words.ctypes.data, 1, 1, 1, 32, 1) is None
    return found.tolist()


@pytest.mark.parametrize("name", STRUCTS)
def test_members_are_where_they_are_filled_in(name):
    members = STRUCTS[name]
    assert offsets(members) == [8 * at for at in (*first_words(members).values(), n_words(members))]


def test_a_member_of_another_size_does_not_compile():
    with pytest.raises(OnCoresError, match="not of eight bytes"):
        offsets({"limit": "i64", "few": "u32", "fewer": "u32"})


def test_arguments_are_numbers_rows_and_factors():
    arguments = Arguments(2, gpu_plan.members(2))
    arguments.set(limit=7, low=[0, 5], points=[[0, 5, 9]] * 2, to_backward=[[0.5, 1.5, 2.5, 3.5]] * 2)
    at = arguments.at
    assert arguments.words[:, [at["limit"], at["low"]]].tolist() == [[7, 0], [7, 5]]
    assert arguments.words[1, at["points"] :][:3].tolist() == [0, 5, 9]
    assert arguments.words[1, at["to_backward"] :][:4].view(np.float64).tolist() == [0.5, 1.5, 2.5, 3.5]
    assert np.count_nonzero(arguments.words) == 15
