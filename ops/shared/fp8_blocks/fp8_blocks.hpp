// SPDX-License-Identifier: Apache-2.0
// e4m3 codes with a float32 scale for each block of them: what the ops of the FP8 pipeline share on
// the host. A value is its code's number times the scale of its block.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/kernels/args.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::ScaleRule>{
    EnumName<ops::ScaleRule>{"trtllm", ops::ScaleRule::Trtllm},
    EnumName<ops::ScaleRule>{"dsv3", ops::ScaleRule::Dsv3},
    EnumName<ops::ScaleRule>{"dsv32", ops::ScaleRule::Dsv32},
    EnumName<ops::ScaleRule>{"ue8m0", ops::ScaleRule::Ue8m0},
    EnumName<ops::ScaleRule>{"flashinfer_test", ops::ScaleRule::FlashinferTest},
    EnumName<ops::ScaleRule>{"per_token", ops::ScaleRule::PerToken},
};

}  // namespace tessera::config

namespace tessera::ops::fp8 {

/// Side of a block of weights, and length of a block of activations.
inline constexpr std::uint32_t kBlock = 128;
/// Tolerance of an op's outputs of codes: one code is at most 1/8 of a value.
inline constexpr Tolerance kOneCode{.max_relative_error = 0.13, .min_pcc = 0.9999};

/// Returns the number of a code, exactly: S.EEEE.MMM with bias 7, NaN for S.1111.111.
[[nodiscard]] float value_of(std::uint8_t code);
/// Returns the nearest code, ties to the even one; beyond 448 it is that of ±448.
[[nodiscard]] std::uint8_t code_of(float value);
/// Returns the scale of a block. `largest` is the largest magnitude of a block, `most` the largest
/// code of Trtllm, the plain rule; each other rule is for e4m3.
[[nodiscard]] float scale_of(float largest, ScaleRule rule, float most = 448);
[[nodiscard]] std::uint8_t code_of(float value, float scale, ScaleRule rule);

/// Quantises one block.
/// Shapes   values, codes: the block's elements.
/// @returns its scale.
float quantise(std::span<const float> values, ScaleRule rule, std::span<std::uint8_t> codes);

/// Adds a buffer of `pages` pages of `page_bytes` bytes.
void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index, DataFormat format,
                std::uint32_t page_bytes, std::uint32_t pages);
/// Returns `bytes` rounded up to the unit that transfers between L1 and DRAM are aligned to on
/// every device.
[[nodiscard]] constexpr std::uint32_t aligned(std::uint32_t bytes) noexcept {
    return (bytes + 63) / 64 * 64;
}

/// Appends accessors of `buffers` to compile-time arguments and their addresses to runtime ones.
void append(std::initializer_list<const Buffer*> buffers, std::vector<std::uint32_t>& compile_args,
            std::vector<std::uint32_t>& runtime_args);
/// Gives each core of `grid`, row by row, its CoreIndex and `args`.
void set_share_args(Program& program, KernelHandle kernel, CoreCoord grid,
                    const std::vector<std::uint32_t>& args);

/// The CTAs of a grouped product, as the host reads them from the tables of moe_permutation.
struct Cta {
    std::uint32_t expert = 0;
    std::uint32_t first_row = 0;
    std::uint32_t num_rows = 0;
};
[[nodiscard]] std::vector<Cta> ctas_of(std::span<const std::int32_t> batch,
                                       std::span<const std::int32_t> limits, std::int32_t live,
                                       std::uint32_t tile);
/// The tables of CTAs, by their operands.
struct CtaTables {
    NamedTable live;    ///< num_non_exiting_ctas
    NamedTable limits;  ///< cta_idx_xy_to_mn_limit
};
/// Checks the number of live CTAs, and that each of them ends within its own `tile` rows.
/// Errors   OperandError naming op, table, element, value and what is allowed.
void check_ctas(std::string_view op, const CtaTables& tables, std::uint32_t tile);

/// Returns the elements of rows that hold tokens: of a (P, columns) tensor, and of (blocks, P)
/// scales.
[[nodiscard]] std::vector<ElementRange> rows_that_count(std::span<const Cta> ctas,
                                                        std::uint32_t columns);
[[nodiscard]] std::vector<ElementRange> scales_that_count(std::span<const Cta> ctas,
                                                          std::uint32_t blocks, std::uint32_t rows);

}  // namespace tessera::ops::fp8
