# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of programs in C++, as `lux.codegen.cuda_functions` declares those that Numba compiles for GPUs."""

PAGERANK = """
void lux_start(long long n, int out_degree, float, float, float* rank, float* share)
{
  *rank = (float)(1.0 / (double)n), *share = *rank / (float)max(out_degree, 1);
}
void lux_compute(float share, float* result) { *result = share; }
void lux_update(double alpha, double dangling, long long n, int out_degree, float, float share, float* rank,
                float* shared)
{
  *rank = (float)((1.0 - alpha + alpha * dangling) / (double)n + alpha * share);
  *shared = *rank / (float)max(out_degree, 1);
}
void lux_converged(double change, double stop, unsigned char* result) { *result = change < stop; }
void lux_total_0(int out_degree, float rank, double* result) { *result = out_degree == 0 ? rank : 0.0; }
void lux_total_1(float old_rank, float rank, double* result) { *result = fabs((double)rank - (double)old_rank); }
"""

DELTAS = """
void lux_start(long long n, float, int out_degree, float, float, unsigned char* active, float* delta, float* rank,
               float* share)
{
  *active = 1, *rank = *delta = (float)(1.0 / (double)n), *share = *rank / (float)max(out_degree, 1);
}
void lux_init(float, float* share) { *share = 0; }
void lux_compute(float share, float* result) { *result = share; }
void lux_update(float old_delta, float old_rank, double alpha, double dangling, long long iteration, long long n, float,
                int out_degree, float, float share, unsigned char* active, float* delta, float* rank, float* shared)
{
  const double given = alpha * dangling / (double)n + alpha * share;
  *rank = (float)(iteration == 0 ? (1.0 - alpha) / (double)n + given : old_rank + given);
  *delta = iteration == 0 ? *rank - old_rank : (float)given;
  *shared = *delta / (float)max(out_degree, 1);
  *active = *delta != 0 || old_delta != 0;
}
void lux_converged(double change, double stop, unsigned char* result) { *result = change < stop; }
void lux_total_0(float delta, int out_degree, double* result) { *result = out_degree == 0 ? delta : 0.0; }
void lux_total_1(float delta, double* result) { *result = fabs((double)delta); }
"""

LABELS = """
void lux_start(long long id, unsigned, unsigned char* active, unsigned* label) { *active = 1, *label = (unsigned)id; }
void lux_compute(unsigned label, unsigned* result) { *result = label; }
void lux_update(unsigned old_label, unsigned label, unsigned char* active) { *active = label < old_label; }
"""

SEARCH = """
void lux_start(long long source, int distance, long long id, unsigned parent, long long place, unsigned char* active,
               int* at, unsigned* from)
{
  *active = id == source, *at = *active ? 0 : distance, *from = *active ? (unsigned)place : parent;
}
void lux_compute(long long iteration, long long place, int* distance, unsigned* parent)
{
  *distance = (int)iteration + 1, *parent = (unsigned)place;
}
void lux_update(int old_distance, int distance, unsigned char* active) { *active = distance < old_distance; }
void lux_done(int distance, unsigned char* done) { *done = distance < 0x7fffffff; }
"""

PATHS = """
void lux_start(long long source, float distance, long long id, unsigned char* active, float* at)
{
  *active = id == source, *at = *active ? 0 : distance;
}
void lux_compute(float weight, double cutoff, float distance, float* result)
{
  *result = distance + weight <= cutoff ? distance + weight : INFINITY;
}
void lux_update(float old_distance, float distance, unsigned char* active) { *active = distance < old_distance; }
"""

REMAINDERS = """
void lux_start(long long id, long long* y, long long at)
{
  for (int k = 0; k < 3; ++k) y[at + k] = id + k;
}
void lux_compute(float weight, long long* y, long long at, long long* x)
{
  for (int k = 0; k < 3; ++k) x[k] = (long long)((double)y[at + k] * weight);
}
void lux_update(long long* old_y, long long old_at, double sum, long long* x, long long x_at, long long* y,
                long long at)
{
  for (int k = 0; k < 3; ++k) y[at + k] = (long long)fmod((double)(old_y[old_at + k] + x[x_at + k]) + sum, 101.0);
}
void lux_total_0(long long* y, long long at, double* result) { *result = (double)y[at]; }
"""

FUNCTIONS = {
    name: f'extern "C" {{{text}}}\n'
    for name, text in (
        ("PageRank32", PAGERANK),
        ("PageRankDeltas32", DELTAS),
        ("PageRank", PAGERANK.replace("float", "double")),
        ("PageRankDeltas", DELTAS.replace("float", "double")),
        ("ShortestPathsFloat32", PATHS),
        ("Remainders", REMAINDERS),
        ("SmallestLabel", LABELS),
        ("BreadthFirstSearch", SEARCH),
    )
}
"""By the program's name."""
