# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the model measures of edges in zero-copy memory: runs in which they overflow though there is room."""

import lux
from lux.calibration import compiling, measure_gpu, measure_oversubscribed


def test_edges_overflow_where_that_is_asked_for(machine, monkeypatch):
    monkeypatch.setattr(measure_oversubscribed, "ITERATIONS", 1)
    monkeypatch.setattr(measure_oversubscribed, "OVERFLOW_PARTS", 2)
    with machine(1):
        case = next(measure_oversubscribed.cases("g", lux.generate("uniform:5,4", seed=2), (0.5,), ()))
        case.run()
        sample = case.sample()
    assert (sample.parts, sample.workers, sample.iterations) == (2, 1, 1)
    assert 0.3 < sample.overflow < 0.7
    assert sample.kernel > 0


def test_a_run_tells_what_an_iteration_takes_besides_its_kernels(machine):
    with machine(1):
        graph = lux.generate("uniform:5,4", seed=2)
        cases = measure_gpu.cases("g", graph, ["pagerank"], 2)
        case = next(c for c in cases if (c.model, c.placement, c.parts) == ("pull", "device", 2))
        case.run()
        sample = case.sample()
    assert (sample.iterations, sample.noted[-1][0], sample.ended) == (20, 20, False)
    assert sample.rest_each is not None
    assert 0 <= sample.rest_each <= sample.rest / sample.iterations


def test_kernels_are_compiled_before_they_run(machine, monkeypatch):
    from lux.codegen import cuda_build
    from lux.engine.gpu.parts import PartitionedGpuRun
    from lux.engine.gpu.single import GpuRun
    from lux.engine.run.check import parameter_values

    compiled = []
    with machine(2):
        monkeypatch.setattr(cuda_build, "cubin", lambda text, *_: compiled.append(text))
        compiling.compile_all(["pagerank", "sssp"], 2, by_degree=True, ks=(8,))
        assert len(compiled) == len({*compiled}) == 2 * 3 * 4 + 2 * 2
        graph = lux.generate("uniform:5,4", seed=2, weights=(1, 9))
        for g in (graph, graph.reordered("degree")):
            for name in ("pagerank", "sssp"):
                for program, given in measure_gpu.vertex_programs(name, g, 3).values():
                    run = (program, g, {}, parameter_values(program.spec, given), "pull", 20)
                    runs = [GpuRun(*run), PartitionedGpuRun(*run, parts=1, placement="zero-copy")]
                    runs += [PartitionedGpuRun(*run, parts=2, placement=p) for p in ("peer", "device", "zero-copy")]
                    assert all(r.writer.text() in compiled for r in runs)
