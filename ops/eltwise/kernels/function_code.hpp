// SPDX-License-Identifier: Apache-2.0
// The functions' codes among the compile-time arguments of the compute kernels: the values of
// EltwiseFunction, which the host passes.
#pragma once

#include <cstdint>

enum FunctionCode : std::uint32_t {
#define SFPU_BINARY_CHOICE(call, Word, ...) k##Word,
#define SFPU_CHOICE(call, Word, ...) k##Word,
#include "tessera/kernel/compute/sfpu_table.inc"
};
