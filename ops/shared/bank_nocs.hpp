// SPDX-License-Identifier: Apache-2.0
// The NoC over which each core reads each DRAM bank.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// Returns the banks, a bit each, that each core of the grid reads over NoC 1, row by row. They are
/// chosen so that no link is much fuller than others if all cores read from all banks: the links
/// beside the banks are fuller than those of the rest. All are read over NoC 0 if no link carries the
/// data of more than one bank (Blackhole), and with more than 32 banks.
[[nodiscard]] std::vector<std::uint32_t> banks_over_noc1(const ArchSpec& arch);

}  // namespace tessera::ops
