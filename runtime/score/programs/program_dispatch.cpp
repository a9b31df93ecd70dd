// SPDX-License-Identifier: Apache-2.0
// Empty programs one behind the other: what dispatch takes.
// Source   tt-metal tests/tt_metal/tt_metal/perf_microbenchmark/dispatch/test_pgm_dispatch.cpp: the
// name of a row gives processors, cores, CBs, semaphores, arguments and kernel groups; the first
// group is wide, each other one is one core; kernels may run for so many cycles.
#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "runtime/score/bench.hpp"
#include "runtime/score/programs/families.hpp"
#include "runtime/score/programs/places.hpp"
#include "runtime/score/units.hpp"

namespace tessera::score {
namespace {

struct EmptyProgram {
    bool brisc = true;
    bool ncrisc = true;
    bool trisc = true;
    bool all_cores = false;
    std::uint32_t cbs = 0;
    std::uint32_t semaphores = 0;
    std::uint32_t groups = 1;
    std::uint32_t unique_args = 0;
    std::uint32_t common_args = 0;
    std::uint32_t run_cycles = 0;
    std::uint32_t kernel_bytes = 0;  ///< of each processor's binary
};

bool has(std::string_view name, std::string_view words) {
    return name.find(words) != std::string_view::npos;
}

/// The number in front of `unit` in a name of words joined by "_": 32 in "all_cores_32cb_8g".
std::optional<std::uint32_t> number_before(std::string_view name, std::string_view unit) {
    for (std::size_t at = name.find(unit); at != std::string_view::npos;
         at = name.find(unit, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') {
            --begin;
        }
        const std::size_t end = at + unit.size();
        const bool is_word =
            (begin == 0 || name[begin - 1] == '_') && (end == name.size() || name[end] == '_');
        if (begin < at && is_word) {
            std::uint32_t number = 0;
            std::from_chars(name.data() + begin, name.data() + at, number);
            return number;
        }
    }
    return std::nullopt;
}

void set_processors(EmptyProgram& program, std::string_view name) {
    if (has(name, "brisc_only") && !has(name, "ncrisc_only")) {
        program.ncrisc = program.trisc = false;
    } else if (has(name, "ncrisc_only")) {
        program.brisc = program.trisc = false;
    } else if (has(name, "brisc_trisc_only")) {
        program.ncrisc = false;
    } else if (has(name, "trisc_only")) {
        program.brisc = program.ncrisc = false;
    } else if (has(name, "one_processor") || has(name, "1_processor")) {
        program.ncrisc = program.trisc = false;
    } else {
        expressible(has(name, "all_processors") || has(name, "maxed"),
                    "program {}: no processors are named", name);
    }
}

/// "256" or, where the row's name went astray, "256_bytes_brisc_only_all_processors_trace".
std::uint32_t kernel_bytes_of(const Parameters& parameters) {
    const std::string& text = parameters.text("kernel_bytes");
    std::uint32_t bytes = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    expressible(error == std::errc(), "kernel_bytes is {}, not a number", text);
    return bytes;
}

EmptyProgram program_of(const Row& row, const Parameters& parameters) {
    constexpr std::uint32_t kMost = 128;  // arguments of maxed_config_params
    constexpr std::uint32_t kSomeSemaphores = 4;
    std::string name = row.workload.substr(row.workload.rfind(' ') + 1);
    if (has(name, "vary_slow_cycles")) {
        name = parameters.text("kernel_bytes") + "_all_cores";
    }
    expressible(!has(name, "eth_dispatch") && !has(name, "load_prefetcher"),
                "program {}: dispatch from Ethernet cores and loads of the prefetcher are not "
                "modelled",
                name);
    EmptyProgram program{.kernel_bytes = kernel_bytes_of(parameters)};
    set_processors(program, name);
    const bool is_maxed = has(name, "maxed");
    program.all_cores = is_maxed || has(name, "all_cores");
    program.unique_args = number_before(name, "_rta").value_or(is_maxed ? kMost : 0);
    program.common_args = number_before(name, "_crta").value_or(0);
    const bool has_args = program.unique_args + program.common_args > 0;
    program.cbs = number_before(name, "cb")
                      .value_or(number_before(name, "_cbs")
                                    .value_or(is_maxed   ? 32
                                              : has_args ? 1
                                                         : 0));
    program.semaphores =
        number_before(name, "sem").value_or(has(name, "sems") || is_maxed ? kSomeSemaphores : 0);
    program.groups = number_before(name, "g").value_or(1);
    program.run_cycles = number_before(name, "_kernel").value_or(parameters.count_or("extra", 0));
    return program;
}

/// The cores of each kernel group.
std::vector<CoreRange> groups_of(const EmptyProgram& shape, const ArchSpec& arch) {
    const GridSize grid = arch.workers.compute;
    const CoreCoord last =
        shape.all_cores ? CoreCoord{grid.columns - 1, grid.rows - 1} : CoreCoord{0, 0};
    expressible(shape.groups >= 1 && shape.groups <= last.x + 1, "{} kernel groups on {} columns",
                shape.groups, last.x + 1);
    std::vector<CoreRange> groups{CoreRange({0, 0}, {last.x - (shape.groups - 1), last.y})};
    for (std::uint32_t i = 1; i < shape.groups; ++i) {
        groups.emplace_back(CoreCoord{last.x - (shape.groups - 1) + i, last.y});
    }
    return groups;
}

void add_kernels(Program& program, const EmptyProgram& shape, const CoreRange& cores) {
    constexpr const char* kKernel = "runtime/score/kernels/empty.cpp";
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

Program empty_program(const EmptyProgram& shape, const ArchSpec& arch) {
    constexpr std::uint32_t kPage = 16;
    Program program = CreateProgram();
    const std::vector<CoreRange> groups = groups_of(shape, arch);
    for (const CoreRange& cores : groups) {
        add_kernels(program, shape, cores);
    }
    const CoreRangeSet all(groups);
    for (std::uint32_t i = 0; i < shape.cbs; ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        CreateCircularBuffer(program, all,
                             CircularBufferConfig(kPage, {{index, DataFormat::Float16_b}})
                                 .set_page_size(index, kPage));
    }
    for (std::uint32_t i = 0; i < shape.semaphores; ++i) {
        (void)CreateSemaphore(program, all, 0);
    }
    return program;
}

/// Binaries of all groups: the compute kernel has three.
std::uint32_t binary_bytes(const EmptyProgram& shape) {
    const std::uint32_t binaries =
        (shape.brisc ? 1 : 0) + (shape.ncrisc ? 1 : 0) + (shape.trisc ? 3 : 0);
    return binaries * shape.groups * shape.kernel_bytes;
}

/// Kernels that run for so long are empty ones that start so much later.
Model with_run_time(Model model, std::uint32_t cycles) {
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        timing->dispatch.kernel_start = timing->dispatch.kernel_start + Cycles{1.0 * cycles};
    }
    return model;
}

}  // namespace

Prediction predict_program_dispatch(const Row& row, const Parameters& parameters,
                                    const Model& model) {
    const EmptyProgram shape = program_of(row, parameters);
    const Model machine = with_run_time(model, shape.run_cycles);
    Bench bench(machine);
    return as_time(row, bench.period_cycles(empty_program(shape, model.arch), binary_bytes(shape)),
                   model);
}

}  // namespace tessera::score
