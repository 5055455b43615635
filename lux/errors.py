# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What Lux raises: one base class, one class for each kind of mistake; and the class of its warnings.

Every message says what was passed, what is allowed and what to do. The programs in ``apps/`` print the
message on standard error and end with exit code 2; a library user catches `LuxError`.
"""


class LuxError(Exception):
    """Base class of every error that Lux raises on purpose."""


class LuxWarning(UserWarning):
    """What was asked for is done, but not all of it, or not as the caller may think."""


class FileError(LuxError):
    """A file is missing, unreadable, or cannot be written."""


class FormatError(LuxError):
    """A file's content is not what its format says, or its format is unknown or contradictory."""


class ParseError(FormatError):
    """A line of a text file does not parse; carries the file, the line number and the line."""

    def __init__(self, path: object, number: int, line: str, why: str) -> None:
        shown = line.rstrip("\r\n")
        if len(shown) > 80:
            shown = shown[:77] + "..."
        super().__init__(f"{path}, line {number}: {why}: {shown!r}")
        self.path, self.number, self.line = str(path), number, line

    def __reduce__(self) -> tuple[object, ...]:
        return (LuxError, (str(self),))


class GraphError(LuxError):
    """A graph is empty, or lacks what was asked of it (weights, a vertex, an edge property)."""


class WeightError(GraphError):
    """Weights that are negative, NaN or infinite where the algorithm forbids them."""


class NegativeCycleError(WeightError):
    """A cycle of negative length can be reached, so that walks become ever shorter and none is the shortest."""


class ParameterError(LuxError, ValueError):
    """An argument is out of range or contradicts another."""


class CallError(ParameterError, TypeError):
    """A call with an argument that the function does not have, or without one that it needs."""


class NoSuchNameError(LuxError, AttributeError):
    """There is no function, attribute or method of this name."""


class MemoryNeededError(LuxError):
    """More memory is needed than Legate was given."""


class ConvergenceError(LuxError):
    """The iteration limit was reached before the tolerance was met."""


class ValidationError(LuxError):
    """A result breaks a rule of the benchmark that it belongs to."""


class ProgramError(LuxError):
    """A vertex program breaks the rules of `lux.Program`, or Numba cannot compile it."""


class ConfigurationError(LuxError):
    """This machine or the launcher's flags do not allow what was asked (compiler, MPI, partitions)."""
