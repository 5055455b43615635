# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Content of an installation: calls that run kernels for CPU cores, and a list of kernels for GPUs."""
