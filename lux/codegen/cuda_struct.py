# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Structs of kernel arguments: one description for the C++ text and for the words that the host fills in.

A description has the members in order, and their C++ types. A member takes a word of eight bytes, an array one for each
element: ``{"limit": "i64", "rows": "const u32*", "peer": "char*[4]"}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate


def element(kind: str) -> tuple[str, int]:
    """Return the C++ type of a member's elements, and the length of an array, 0 where it is none.

    >>> element("char*[4]"), element("const u32*")
    (('char*', 4), ('const u32*', 0))
    """
    single, _, length = kind.partition("[")
    return single, int(length.removesuffix("]") or 0)


def first_words(members: Mapping[str, str]) -> dict[str, int]:
    """Return the first word of each member.

    >>> first_words({"limit": "i64", "peer": "char*[4]", "part": "i64"})
    {'limit': 0, 'peer': 1, 'part': 5}
    """
    lengths = [max(element(kind)[1], 1) for kind in members.values()]
    return dict(zip(members, accumulate(lengths, initial=0), strict=False))


def n_words(members: Mapping[str, str]) -> int:
    """Count the words of all members.

    >>> n_words({"limit": "i64", "peer": "char*[4]", "part": "i64"})
    6
    """
    return sum(max(element(kind)[1], 1) for kind in members.values())


def struct_text(members: Mapping[str, str], name: str = "Args") -> str:
    """Return the C++ text of the struct, which is refused where a member is not of words of eight bytes.

    >>> print(struct_text({"limit": "i64", "peer": "char*[4]"}))
    struct Args {
      i64 limit;
      char* peer[4];
    };
    static_assert(sizeof(Args) == 40, "a member is not of eight bytes");
    <BLANKLINE>
    """
    lines = []
    for member, kind in members.items():
        single, length = element(kind)
        lines.append(f"  {single} {member}{f'[{length}]' if length else ''};\n")
    size = f'static_assert(sizeof({name}) == {8 * n_words(members)}, "a member is not of eight bytes");\n'
    return f"struct {name} {{\n{''.join(lines)}}};\n{size}"
