// SPDX-License-Identifier: Apache-2.0
// The functions and the schedule of the op eltwise.
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"
#include "tessera/data_format.hpp"

namespace tessera {

/// What is done to each element (of one input) or each pair of elements (of two).
enum class EltwiseFunction : std::uint8_t {
    // Of two inputs.
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    // Of one.
    Abs,
    Exp,
    Gelu,
    Identity,
    Log,
    Negative,
    Recip,
    Relu,
    Rsqrt,
    Sigmoid,
    Sign,
    Silu,
    Sqrt,
    Square,
    Tanh,
};

/// Inputs that a function takes: 1 or 2.
[[nodiscard]] constexpr std::uint32_t num_inputs(EltwiseFunction function) noexcept {
    return function <= EltwiseFunction::Min ? 2 : 1;
}

struct EltwiseSpec {
    GridSize grid;                     ///< cores to spread over; 0×0: all the device offers
    std::uint32_t tiles_per_push = 1;  ///< tiles of one CB push, one barrier each
    std::uint32_t cb_depth = 2;        ///< pushes that each CB holds
    bool fp32_dest_acc = false;        ///< 32-bit DST; float32 tensors need it
    bool approximate = false;          ///< the vector unit's faster forms; values are exact here
    MathFidelity math_fidelity = MathFidelity::HiFi4;  ///< of products in the matrix unit
};

}  // namespace tessera
