// SPDX-License-Identifier: Apache-2.0
// Empty programs in sequence: the cost of dispatch. All are replayed from a trace. The first group
// is wide; each other kernel group is a column and each other group of CBs a single core. Kernels
// may run for a given number of cycles.
// Source   tt-metal tests/tt_metal/tt_metal/perf_microbenchmark/dispatch/test_pgm_dispatch.cpp: the
//          name of a row states processors, cores, CBs, semaphores, arguments and groups of cores.
#include <algorithm>
#include <vector>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/empty_program.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

/// Returns the wide first group of `count` column groups.
CoreRange first_group(const EmptyProgram& shape, std::uint32_t count) {
    expressible(count >= 1 && count <= shape.grid.columns, "{} groups of cores on {} columns",
                count, shape.grid.columns);
    return CoreRange({0, 0}, {shape.grid.columns - count, shape.grid.rows - 1});
}

std::vector<CoreRange> kernel_groups(const EmptyProgram& shape) {
    std::vector<CoreRange> groups{first_group(shape, shape.groups)};
    for (std::uint32_t x = shape.grid.columns - shape.groups + 1; x < shape.grid.columns; ++x) {
        groups.emplace_back(CoreCoord{x, 0}, CoreCoord{x, shape.grid.rows - 1});
    }
    return groups;
}

std::vector<CoreRange> cb_groups(const EmptyProgram& shape) {
    std::vector<CoreRange> groups{first_group(shape, shape.cb_groups)};
    for (std::uint32_t x = shape.grid.columns - shape.cb_groups + 1; x < shape.grid.columns; ++x) {
        groups.emplace_back(CoreCoord{x, shape.grid.rows - 1}, CoreCoord{x, shape.grid.rows - 1});
    }
    return groups;
}

void add_kernels(Program& program, const EmptyProgram& shape, const CoreRange& cores) {
    constexpr const char* kKernel = "bench/accuracy/kernels/empty.cpp";
    std::vector<KernelHandle> kernels;
    if (shape.brisc) {
        kernels.push_back(CreateKernel(program, kKernel, cores, WriterDataMovementConfig()));
    }
    if (shape.ncrisc) {
        kernels.push_back(CreateKernel(program, kKernel, cores, ReaderDataMovementConfig()));
    }
    if (shape.trisc) {
        kernels.push_back(CreateKernel(program, kKernel, cores, ComputeConfig{}));
    }
    for (const KernelHandle kernel : kernels) {
        if (shape.unique_args > 0) {
            SetRuntimeArgs(program, kernel, cores, std::vector<std::uint32_t>(shape.unique_args));
        }
        if (shape.common_args > 0) {
            SetCommonRuntimeArgs(program, kernel, std::vector<std::uint32_t>(shape.common_args));
        }
    }
}

/// Adds CBs of a different size for each group, so that groups are distinguishable.
void add_cbs(Program& program, const EmptyProgram& shape) {
    constexpr std::uint32_t kPage = 16;
    std::uint32_t bytes = 0;
    for (const CoreRange& cores : cb_groups(shape)) {
        bytes += kPage;
        for (std::uint32_t i = 0; i < shape.cbs; ++i) {
            const auto index = static_cast<std::uint8_t>(i);
            CreateCircularBuffer(program, cores,
                                 CircularBufferConfig(bytes, {{index, DataFormat::Float16_b}})
                                     .set_page_size(index, kPage));
        }
    }
}

Program empty_program(const EmptyProgram& shape) {
    Program program = CreateProgram();
    for (const CoreRange& cores : kernel_groups(shape)) {
        add_kernels(program, shape, cores);
    }
    add_cbs(program, shape);
    const CoreRange all({0, 0}, {shape.grid.columns - 1, shape.grid.rows - 1});
    for (std::uint32_t i = 0; i < shape.semaphores; ++i) {
        (void)CreateSemaphore(program, all, 0);
    }
    return program;
}

/// Returns the bytes of all groups' binaries; the compute kernel has three.
std::uint32_t binary_bytes(const EmptyProgram& shape) {
    const std::uint32_t binaries =
        (shape.brisc ? 1 : 0) + (shape.ncrisc ? 1 : 0) + (shape.trisc ? 3 : 0);
    return binaries * shape.groups * shape.kernel_bytes;
}

/// Delays the start of empty kernels by their run time.
Model with_run_time(Model model, std::uint32_t cycles) {
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        timing->dispatch.kernel_start = timing->dispatch.kernel_start + Cycles{1.0 * cycles};
    }
    return model;
}

Prediction period(const EmptyProgram& shape, std::uint32_t run_cycles, const Model& model) {
    const Model machine = with_run_time(model, run_cycles);
    Bench bench(machine);
    return bench.period_cycles(empty_program(shape), binary_bytes(shape));
}

/// Returns the time of one long program and several short ones after it. Dispatch sends the short
/// programs while the long one runs, unless dispatch takes longer than they run.
double shadowed(double long_run, double short_run, const EmptyProgram& shape) {
    const double in_shadow = long_run - shape.run_cycles;
    return std::max(long_run + shape.short_runs * in_shadow, (shape.short_runs + 1) * short_run);
}

}  // namespace

Prediction predict_program_dispatch(const Row& row, const Parameters& parameters,
                                    const Model& model) {
    const EmptyProgram shape = empty_program_of(row, parameters);
    Prediction cycles = period(shape, shape.run_cycles, model);
    if (shape.short_runs > 0) {
        const Prediction brief = period(shape, 0, model);
        cycles = Prediction::combined(cycles, brief, [&](double long_run, double short_run) {
            return shadowed(long_run, short_run, shape);
        });
    }
    return as_time(row, cycles, model);
}

}  // namespace tessera::score
