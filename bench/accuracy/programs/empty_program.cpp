// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/empty_program.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::score {
namespace {

bool has(std::string_view name, std::string_view words) {
    return name.find(words) != std::string_view::npos;
}

/// Returns the number in front of `unit` in a name with "_" between words: 32 in
/// "all_cores_32cb_8g".
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
        expressible(has(name, "all_processors") || has(name, "maxed") ||
                        has(name, "kernel_groups") || has(name, "load_prefetcher"),
                    "program {}: no processors are named", name);
    }
}

/// Returns the benchmark's cores. Chips with fewer working rows and columns have all of them, too.
/// The benchmark itself selects them by architecture.
/// Source   tt-metal tests/tt_metal/tt_metal/perf_microbenchmark/dispatch/test_pgm_dispatch.cpp,
///          get_core_count.
GridSize all_cores(const Row& row) {
    return row.arch == "blackhole" ? GridSize{12, 9} : GridSize{8, 7};
}

GridSize grid_of(const Row& row, std::string_view name) {
    const GridSize all = all_cores(row);
    if (has(name, "left_processors")) {
        return {1, all.rows};
    }
    const bool is_wide = has(name, "all_cores") || has(name, "maxed") ||
                         has(name, "kernel_groups") || has(row.workload, "vary_slow_cycles");
    return is_wide ? all : GridSize{1, 1};
}

/// Parses "256". In rows with a misplaced name the value is
/// "256_bytes_brisc_only_all_processors_trace".
std::uint32_t kernel_bytes_of(const Parameters& parameters) {
    const std::string& text = parameters.text("kernel_bytes");
    std::uint32_t bytes = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    expressible(error == std::errc(), "kernel_bytes is {}, not a number", text);
    return bytes;
}

/// Returns the last word of the row's workload; in rows with a misplaced name, the parameter.
std::string name_of(const Row& row, const Parameters& parameters) {
    const std::string name = row.workload.substr(row.workload.rfind(' ') + 1);
    return has(name, "vary_slow_cycles") ? parameters.text("kernel_bytes") : name;
}

void set_sizes(EmptyProgram& program, std::string_view name) {
    constexpr std::uint32_t kArguments = 128;  // from maxed_config_params
    constexpr std::uint32_t kCbs = 32;
    constexpr std::uint32_t kSemaphores = 4;
    const bool is_maxed = has(name, "maxed");
    program.unique_args = number_before(name, "_rta").value_or(is_maxed ? kArguments : 0);
    program.common_args = number_before(name, "_crta").value_or(0);
    program.cbs = is_maxed ? kCbs : 0;
    for (const std::string_view unit : {"cb", "_cb", "_cbs"}) {
        program.cbs = number_before(name, unit).value_or(program.cbs);
    }
    program.cb_groups = number_before(name, "g").value_or(1);
    program.semaphores =
        number_before(name, "sem").value_or(has(name, "sems") || is_maxed ? kSemaphores : 0);
}

void set_runs(EmptyProgram& program, std::string_view name, const Parameters& parameters) {
    constexpr std::uint32_t kKernelGroups = 8;
    constexpr std::uint32_t kShadowCycles = 40000;
    constexpr std::uint32_t kPrefetcherCycles = 2000;
    program.run_cycles = number_before(name, "_kernel").value_or(parameters.count_or("extra", 0));
    if (has(name, "load_prefetcher")) {
        program.run_cycles = kPrefetcherCycles;
    }
    if (has(name, "kernel_groups")) {
        program.groups = kKernelGroups;
    }
    if (const auto short_runs = number_before(name, "_shadow")) {
        program.groups = program.grid.columns - 1;
        program.run_cycles = kShadowCycles;
        program.short_runs = *short_runs;
    }
}

}  // namespace

EmptyProgram empty_program_of(const Row& row, const Parameters& parameters) {
    const std::string name = name_of(row, parameters);
    expressible(!has(name, "eth_dispatch"),
                "program {}: dispatch from Ethernet cores has no constants", name);
    EmptyProgram program{.grid = grid_of(row, name), .kernel_bytes = kernel_bytes_of(parameters)};
    set_processors(program, name);
    set_sizes(program, name);
    set_runs(program, name, parameters);
    return program;
}

}  // namespace tessera::score
