// SPDX-License-Identifier: Apache-2.0
// The empty programs by which tt-metal measures dispatch, as the names of rows describe them.
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
    std::uint32_t groups = 1;  ///< of kernels
    std::uint32_t unique_args = 0;
    std::uint32_t common_args = 0;
    std::uint32_t run_cycles = 0;
    std::uint32_t kernel_bytes = 0;  ///< of each processor's binary
    std::uint32_t short_runs = 0;    ///< programs that end at once, behind each that runs for long
};

/// The program that a row's name and kernel_bytes stand for.
/// Errors   NotExpressible if the name says no processors, or the row is dispatched from Ethernet
///          cores.
[[nodiscard]] EmptyProgram empty_program_of(const Row& row, const Parameters& parameters);

}  // namespace tessera::score
