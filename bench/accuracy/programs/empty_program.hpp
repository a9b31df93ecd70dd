// SPDX-License-Identifier: Apache-2.0
// Empty programs with which tt-metal measures dispatch, parsed from the names of rows.
// Source   tt-metal tests/tt_metal/tt_metal/perf_microbenchmark/dispatch/test_pgm_dispatch.cpp
#pragma once

#include <cstdint>

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/row.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::score {

struct EmptyProgram {
    bool brisc = true;
    bool ncrisc = true;
    bool trisc = true;
    GridSize grid{1, 1};
    std::uint32_t cbs = 0;
    std::uint32_t cb_groups = 1;
    std::uint32_t semaphores = 0;
    std::uint32_t groups = 1;  ///< kernel groups
    std::uint32_t unique_args = 0;
    std::uint32_t common_args = 0;
    std::uint32_t run_cycles = 0;
    std::uint32_t kernel_bytes = 0;  ///< per processor binary
    std::uint32_t short_runs = 0;    ///< empty programs after each long-running one
};

/// Returns the program that a row's name and kernel_bytes describe.
/// Errors   NotExpressible if the name lists no processors, or if Ethernet cores dispatch the row.
[[nodiscard]] EmptyProgram empty_program_of(const Row& row, const Parameters& parameters);

}  // namespace tessera::score
