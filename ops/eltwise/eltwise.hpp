// SPDX-License-Identifier: Apache-2.0
// A function of one or two tensors, element by element, tile by tile.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/data_format.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Function of each pair of elements (of two inputs) or of each element (of one), pairs first: the
/// vector unit's functions that sfpu_table.inc offers.
enum class EltwiseFunction : std::uint8_t {
#define SFPU_BINARY_CHOICE(call, Word, ...) Word,
#define SFPU_CHOICE(call, Word, ...) Word,
#include "tessera/kernel/compute/sfpu_table.inc"
};

/// Returns the number of inputs that a function takes: 1 or 2.
[[nodiscard]] constexpr std::uint32_t num_inputs(EltwiseFunction function) noexcept {
    switch (function) {
#define SFPU_BINARY_CHOICE(call, Word, ...) case EltwiseFunction::Word:
#include "tessera/kernel/compute/sfpu_table.inc"
        return 2;
        default:
            return 1;
    }
}

struct EltwiseSpec {
    EltwiseFunction function = EltwiseFunction::Add;
    GridSize grid;                     ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t tiles_per_push = 1;  ///< tiles of one CB push, one barrier each
    std::uint32_t cb_depth = 2;        ///< pushes that each CB holds
    bool fp32_dest_acc = false;        ///< 32-bit DST; float32 tensors need it
    bool approximate = false;          ///< the vector unit's faster forms; values are exact here
    MathFidelity math_fidelity = MathFidelity::HiFi4;  ///< for products in the matrix unit
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::EltwiseFunction>{
#define SFPU_BINARY_CHOICE(call, Word, shape, constants, yaml, ...) \
    EnumName<ops::EltwiseFunction>{#yaml, ops::EltwiseFunction::Word},
#define SFPU_CHOICE(call, Word, shape, options, routine, constants, yaml, ...) \
    EnumName<ops::EltwiseFunction>{#yaml, ops::EltwiseFunction::Word},
#include "tessera/kernel/compute/sfpu_table.inc"
};

}  // namespace tessera::config

namespace tessera::ops::eltwise {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"a", "(..., N)", "bfloat16 | bfp8_b | float32", "TILE"},
    Operand{.name = "b",
            .shape = "(..., N)",
            .format = "=a",
            .layout = "TILE",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., N)", "bfloat16 | bfp8_b | float32", "TILE"}};

/// Positions of operands by their names: "a"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// Functions are exact within a few ULPs. One rounding to bfloat16 in DST is at most 2^-8 of the
/// element; a 16-bit DST repeats it for products, and packing rounds again.
inline constexpr OpSpec kSpec{
    .name = "eltwise",
    .summary = "a function of each element of one tensor, or of each pair of elements of two",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 1.0 / 64, .min_pcc = 0.9999},
};

/// Returns the op, for the registry.
///
/// Builds the launch: tiles are distributed over the cores by split_work_to_cores in contiguous
/// ranges. Each core reads `tiles_per_push` tiles of every input with one barrier per push,
/// computes tile by tile, and writes. The remaining tiles are read one at a time.
///
/// Numeric  add, sub and mul of bfloat16 and bfp8_b in the matrix unit, the rest in the vector
///          unit. Float32 goes to DST unrounded.
/// Errors   UsageError if the contract or a rule of the op does not hold: the number of inputs is
///          the function's, float32 needs a 32-bit DST, circular buffers fit in L1.
/// Source   TTNN's unary and binary program factories.
[[nodiscard]] const Op& op();

/// Returns the function's name in YAML: "add", "exp".
[[nodiscard]] std::string_view name_of(EltwiseFunction function) noexcept;

/// Elements for which a function is finite.
enum class Domain : std::uint8_t { All, NotZero, Positive };
/// Returns the domain of the last input; the first of two inputs may have any value.
[[nodiscard]] Domain domain_of(EltwiseFunction function) noexcept;

/// Returns the float32 results of the function for bfloat16 or float32 inputs, computed in double.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::eltwise
