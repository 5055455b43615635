# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The tag of the wheel: all else about the package is in pyproject.toml.

A wheel with compiled code is for one Python and the processors that it was compiled for; setuptools knows only of code
that it compiles itself.
"""

from pathlib import Path

from setuptools import Distribution, setup

COMPILED = Path(__file__).parent / "legate_config" / "compiled"


class LuxDistribution(Distribution):
    """The package, with compiled code where `lux.app.precompile` has filled its folder."""

    def has_ext_modules(self) -> bool:
        """Tell whether the wheel is for one version of Python and one kind of processor."""
        return any(COMPILED.glob("*/*"))


setup(distclass=LuxDistribution)
