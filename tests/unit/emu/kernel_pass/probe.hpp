// SPDX-License-Identifier: Apache-2.0
// Functions that test kernels of the address step may call, in place of the kernel API.
#pragma once

#include <cstdint>

/// Returns number `index` of the test's arguments.
std::uint64_t probe_arg(int index);
/// Appends to the results that the test reads.
void probe_result(std::uint64_t value);
