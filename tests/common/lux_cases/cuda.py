# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What headers and sources in CUDA C++ say, as text."""

import re

from lux.codegen.cuda_build import files


def header(name):
    """Read a header or source of Lux by its name alone."""
    return files()[name].read_text()


def constant(name, file):
    """Read a whole number that a header defines."""
    return int(re.search(rf"\b{name} = (\d+)", header(file))[1])
