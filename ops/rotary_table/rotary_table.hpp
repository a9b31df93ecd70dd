// SPDX-License-Identifier: Apache-2.0
// Cosines and sines of a list of positions, by themselves and as the op rope reads them.
#pragma once

#include <array>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"

namespace tessera::ops {

/// Which elements of a head turn together, and in which order they come out.
///   Interleaved    2i and 2i+1, in place: DeepSeek's MLA
///   Half           i and i + n/2, in place: NeoX, and the indexer of DeepSeek-V3.2
///   Deinterleaved  2i and 2i+1, all first ones before all second ones: transformers' MLA
enum class RopeLayout : std::uint8_t { Interleaved, Half, Deinterleaved };

struct RotaryTableSpec {
    RopeLayout layout = RopeLayout::Interleaved;
    std::uint32_t dim = 2;  ///< elements of a head that are rotated
    double theta = 10000;
    double yarn_factor = 1;  ///< 1: no YaRN
    double yarn_beta_fast = 32;
    double yarn_beta_slow = 1;
    std::uint32_t yarn_original_positions = 4096;  ///< that the model was trained with
    bool yarn_truncate = true;                     ///< whether the ends of the ramp are whole pairs
    double attention_factor = 0;                   ///< of cosines and sines; 0: as YaRN has it
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::RopeLayout>{
    EnumName<ops::RopeLayout>{"interleaved", ops::RopeLayout::Interleaved},
    EnumName<ops::RopeLayout>{"half", ops::RopeLayout::Half},
    EnumName<ops::RopeLayout>{"deinterleaved", ops::RopeLayout::Deinterleaved},
};

}  // namespace tessera::config

namespace tessera::ops::rotary_table {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"positions", "any", "int32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"cos", "(P, N)", "float32", "ROW_MAJOR"},
    Operand{"sin", "(P, N)", "float32", "ROW_MAJOR"},
    Operand{"table", "(P, W)", "float32", "ROW_MAJOR"},
    Operand{.name = "frequencies",
            .shape = "(N)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};

/// Positions of outputs by their names: "cos"_out.
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
/// Angles are reduced in double; what is left is a rounding to fp32 beside a zero.
inline constexpr OpSpec kSpec{
    .name = "rotary_table",
    .summary = "cosines and sines of positions, in the order of a rotation's layout",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 1e-6, .min_pcc = 0.999999},
};

/// Returns the elements of a row of the table: factors of each element, then factors of its
/// partner, each part padded to what transfers are aligned to.
[[nodiscard]] constexpr std::uint32_t part_width(std::uint32_t dim) noexcept {
    return (dim + 15) / 16 * 16;
}
/// Element of a head that an element of the result is made of, and the partner that it turns with.
struct RotatedPair {
    std::uint32_t own;
    std::uint32_t partner;
    std::uint32_t frequency;
    bool is_second;  ///< gets +sin of its partner, the first one −sin
};
[[nodiscard]] RotatedPair rotated_pair(RopeLayout layout, std::uint32_t dim, std::uint32_t element);

/// Frequencies of the pairs of a head, rounded to fp32: theta^(−2i/dim), and with YaRN less for pairs
/// that turn slowly.
[[nodiscard]] std::vector<float> frequencies_of(const RotaryTableSpec& spec);
/// Factor of cosines and sines: with YaRN 0.1 · ln(yarn_factor) + 1 unless the spec states one.
[[nodiscard]] double attention_factor(const RotaryTableSpec& spec);

/// The op, for the registry: of each position p and frequency f_i (theta^(−2i/dim), rounded to fp32)
/// cos and sin of their product; row p of `table` has for each element of a rotated head the factor of
/// the element and that of its partner, with the sign. Data movement cores compute: a table of all
/// positions is made once, as serving engines do when they load a model.
///
/// YaRN (Peng et al., 2023) divides f_i by yarn_factor for pairs that turn less than yarn_beta_slow
/// times over the original positions, keeps it for those that turn more than yarn_beta_fast times,
/// and blends linearly between the two. Cosines and sines are multiplied by attention_factor.
/// `frequencies` are the f_i.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::rotary_table
