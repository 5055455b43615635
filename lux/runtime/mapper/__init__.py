# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""C++ sources of the mapper and the tasks, which `lux.runtime.mapper_library` builds and loads."""
