# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx: ``make docs`` makes a site of the pages, the docstrings and the notebooks.

The tables of README.md are the site's contents: what a section of it links to is a chapter of the site. A page for each
public name is made of its docstring.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import lux

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
API = HERE / "api"
"""Folder of the pages of public names, made anew by each build."""

project = "Lux"
author = copyright = "The Lux developers"  # noqa: A001  # Sphinx's name
version = release = lux.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_nb", "sphinx_copybutton"]
root_doc = "README"
exclude_patterns = ["build"]
html_theme = "pydata_sphinx_theme"
html_title = "Lux"
html_show_sourcelink = False
html_theme_options = {"show_toc_level": 2, "navbar_center": [], "show_prev_next": False}
html_sidebars = {"**": ["globaltoc.html"]}  # all chapters, on each page

autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # numpydoc's sections have the types
numpydoc_show_class_members = False
default_role = "any"
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
suppress_warnings = [
    "myst.xref_missing",  # links to files of the repository outside of docs/
    "ref.any",  # `name` is code in docstrings as often as a name of Lux
]


def contents(page: str) -> str:
    r"""Return README.md's sections as hidden tables of contents.

    >>> print(contents("## How-to\n[a](how-to/a.md) [a](how-to/a.md) [x](../x.md)"))
    <BLANKLINE>
    ```{toctree}
    :hidden:
    :caption: How-to
    <BLANKLINE>
    how-to/a.md
    ```
    """
    found = []
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        links = dict.fromkeys(re.findall(r"\]\(((?!https?:|\.\.)[^)#]+\.(?:md|ipynb))\)", text))
        if title.strip() == "Reference":
            links["api/index"] = None
        found.append("\n".join(["", "```{toctree}", ":hidden:", f":caption: {title.strip()}", "", *links, "```"]))
    return "\n".join(found)


def write_api(_app: Sphinx) -> None:
    """Write a page for each public name of Lux, and one that lists them."""
    shutil.rmtree(API, ignore_errors=True)
    API.mkdir()
    names = [name for name in lux.__all__ if callable(getattr(lux, name)) or name in {"errors", "toy"}]
    for name in names:
        value = getattr(lux, name)
        title = f"lux.{name}"
        lines = [title, "=" * len(title), ""]
        if isinstance(value, type):
            lines += [f".. autoclass:: {title}", "   :members:"]
        elif name in {"errors", "toy"}:
            lines += [f".. automodule:: {title}", "   :members:"]
        else:
            lines += [f".. autofunction:: {title}"]
        (API / f"{title}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
    head = [
        "Docstrings of public names",
        "==========================",
        "",
        "Everything that ``lux.`` offers, from its docstrings.",
        "",
    ]
    listed = [f"   lux.{name}" for name in names]
    (API / "index.rst").write_text("\n".join([*head, ".. toctree::", "", *listed]) + "\n", encoding="utf-8")


def add_contents(_app: Sphinx, name: str, source: list[str]) -> None:
    """Add the tables of contents to README.md as Sphinx reads it."""
    if name == root_doc:
        source[0] += contents(source[0])


def setup(app: Sphinx) -> None:
    """Connect the functions above to the build."""
    app.connect("builder-inited", write_api)
    app.connect("source-read", add_contents)
