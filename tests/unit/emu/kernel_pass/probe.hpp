// SPDX-License-Identifier: Apache-2.0
// What test kernels of the address step may call, in place of the kernel API.
#pragma once

#include <cstdint>

/// Number `index` that the test gave.
std::uint64_t probe_arg(int index);
/// Appends to what the test sees.
void probe_result(std::uint64_t value);
