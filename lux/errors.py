# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Errors that Lux raises: one base class, one class for each kind of mistake; and the class of its warnings.

Every message says what was passed, what is allowed and what to do. The programs in ``apps/`` print the
message on standard error and end with exit code 2; a library user catches `LuxError`.
"""


class LuxError(Exception):
    """Base class of every error that Lux raises on purpose."""


class LuxWarning(UserWarning):
    """Warning: a request was fulfilled only in part, or not as the caller may expect."""


class FileError(LuxError):
    """File error: missing, unreadable, or not writable."""


class FormatError(LuxError):
    """Format error: a file's content is not what its format requires, or the format is unknown or contradictory."""


class ParseError(FormatError):
    """Parse error in a line of a text file; carries the file, the line number and the line."""

    def __init__(self, path: object, number: int, line: str, why: str) -> None:
        shown = line.rstrip("\r\n")
        if len(shown) > 80:
            shown = shown[:77] + "..."
        super().__init__(f"{path}, line {number}: {why}: {shown!r}")
        self.path, self.number, self.line = str(path), number, line

    def __reduce__(self) -> tuple[object, ...]:
        return (LuxError, (str(self),))


class GraphError(LuxError):
    """Graph error: the graph is empty, or lacks requested data (weights, a vertex, an edge property)."""


class WeightError(GraphError):
    """Weight error: negative, NaN or infinite weights where the algorithm forbids them."""


class NegativeCycleError(WeightError):
    """Negative cycle: reachable from the source, so that no walk to it is the shortest."""


class ParameterError(LuxError, ValueError):
    """Parameter error: an argument is out of range or contradicts another."""


class CallError(ParameterError, TypeError):
    """Call error: an argument that the function does not have, or a missing one that it needs."""


class NoSuchNameError(LuxError, AttributeError):
    """Name error: there is no function, attribute or method of this name."""


class MemoryNeededError(LuxError):
    """Memory error: more memory is needed than Legate was given."""


class ConvergenceError(LuxError):
    """Convergence error: the iteration limit was reached before the tolerance."""


class ValidationError(LuxError):
    """Validation error: a result breaks a rule of its benchmark."""


class ProgramError(LuxError):
    """Program error: a vertex program breaks the rules of `lux.Program`, or Numba cannot compile it."""


class ConfigurationError(LuxError):
    """Configuration error: this machine or the launcher's flags forbid the request (compiler, MPI, partitions)."""
