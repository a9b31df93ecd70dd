// SPDX-License-Identifier: Apache-2.0
// Numbers to codes of fewer bits with a scale for each block of them.
#pragma once

#include <array>
#include <optional>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "ops/quantise/kernels/args.hpp"
#include "ops/shared/expert_rows/counted_rows.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

struct QuantiseSpec {
    ScaleRule rule = ScaleRule::Trtllm;
    ScaleBlock block = ScaleBlock::Row128;
    Codes codes = Codes::Fp8E4m3;
    CountedBy counted_by = CountedBy::Batches;
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::ScaleBlock>{
    EnumName<ops::ScaleBlock>{"1x128", ops::ScaleBlock::Row128},
    EnumName<ops::ScaleBlock>{"row", ops::ScaleBlock::Row},
    EnumName<ops::ScaleBlock>{"128x128", ops::ScaleBlock::Square128},
    EnumName<ops::ScaleBlock>{"matrix", ops::ScaleBlock::Matrix},
    EnumName<ops::ScaleBlock>{"tensor", ops::ScaleBlock::Tensor},
    EnumName<ops::ScaleBlock>{"static", ops::ScaleBlock::Static},
    EnumName<ops::ScaleBlock>{"1x16", ops::ScaleBlock::Row16},
    EnumName<ops::ScaleBlock>{"1x32", ops::ScaleBlock::Row32},
};
template <>
inline constexpr std::array kEnumNames<ops::Codes>{
    EnumName<ops::Codes>{"fp8_e4m3", ops::Codes::Fp8E4m3},
    EnumName<ops::Codes>{"int8", ops::Codes::Int8},
    EnumName<ops::Codes>{"int4", ops::Codes::Int4},
    EnumName<ops::Codes>{"int8_bytes", ops::Codes::Int8Bytes},
    EnumName<ops::Codes>{"e2m1", ops::Codes::E2m1},
};

}  // namespace tessera::config

namespace tessera::ops::quantise {

inline constexpr std::array<std::string_view, 8> kSchedules{"1x128",  "row",    "128x128", "matrix",
                                                            "tensor", "static", "1x16",    "1x32"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., C)", "bfloat16 | float32", "any"},
    Operand{.name = "counts",
            .shape = "any",
            .format = "int32 | uint32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "static_scale",
            .shape = "(1)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"codes", "(..., C_codes)", "fp8_e4m3 | bfloat16 | uint8 | bfp8_b | bfp4_b", "=input"},
    Operand{.name = "scale",
            .shape = "any",
            .format = "float32 | uint8 | fp8_e4m3",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
/// Every step is IEEE fp32, so codes and scales are those of the rule to the bit.
inline constexpr OpSpec kSpec{
    .name = "quantise",
    .summary =
        "codes of fp8, e2m1 or integers with a scale for each block, by one of the published rules",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: value = code · scale of its block. Blocks at the edges are
/// smaller.
///
/// Rows     (…, C) have scales (R, C/128), (R, 1), (R/128, C/128) or (1, 1), each rounded up. With
///          `counts` rows that do not count are zeros: they take no part in the scale of a tensor.
///          With `static` all have static_scale, and there is no second output.
/// Tiles    of bfloat16 matrices (…, N, K), weights that are quantised when they are loaded, have
///          scales (…, Bn, Bk): (…, 1, 1) of a matrix, (…, N, 1) of a row, (…, N, K/128),
///          (…, N/128, K/128).
/// Integers code = x / scale rounded to nearest even, scale = max(amax / 127, least float) (7 of
///          int4). int8_bytes of rows are code + 128, which widen_bytes takes back.
/// e2m1     of rows, two codes a byte, the even column in the low half: codes (…, C/2). With 1x32
///          (MXFP4) the scale of 32 columns is an e8m0 code (R, C/32), 2 less than the exponent of
///          the largest magnitude. With 1x16 (NVFP4) the scale of 16 columns is an e4m3 code (R,
///          C/16) of largest magnitude / 6 / static_scale; value = code · scale · static_scale.
///          The nearest code, ties to even; beyond 6 it is that of ±6.
///
/// Rows: largest magnitudes are taken and values divided in the vector unit in fp32; the packer
/// rounds to e4m3, ties to even, and saturates at 448. Rows of blocks are distributed over the
/// cores by split_work_to_cores; a core keeps a block (with `row`, some rows) in L1. With one scale
/// for a tensor each core finds the largest magnitude of its elements, and core 0 that of all. A
/// core keeps its elements in L1 until then; if they do not fit, they are read again. Tiles are
/// coded by the data-movement cores in scalar code, which costs nothing in a prediction.
[[nodiscard]] const Op& op();

/// How an input is cut: groups of rows of tiles go to cores, each has blocks, each of strips.
struct Cut {
    std::uint32_t row_tiles;  ///< rows of tiles of a group
    std::uint32_t groups;
    std::uint32_t blocks;  ///< of a group, along the columns
    std::uint32_t strips;  ///< of 32 rows and 128 columns, of a block
    Shape scales;
};
[[nodiscard]] Cut cut_of(const TensorSpec& input, ScaleBlock block);

/// Returns the columns that share a scale of a byte; nothing: scales are float32.
[[nodiscard]] constexpr std::optional<std::uint32_t> micro_block(ScaleBlock block) {
    return block == ScaleBlock::Row16   ? std::optional(16U)
           : block == ScaleBlock::Row32 ? std::optional(32U)
                                        : std::nullopt;
}

/// Returns the codes and scales of an input, as float32 if the codes are in a block format.
[[nodiscard]] std::vector<HostTensor> reference_of_blocks(const ReferenceContext& context);
/// Returns the codes and scales of e2m1 of `values`, in which rows that do not count are zeros.
[[nodiscard]] std::vector<HostTensor> micro_reference(const ReferenceContext& context,
                                                      const std::vector<float>& values);

/// Returns the largest code of a kind.
[[nodiscard]] float largest_code(Codes codes);

/// Judges the rule that a core's rows and tables of rows fit its L1, blamed on the input.
void judge_rows_room(const OpContext& context, RuleJudge& judge);

/// Returns the program of one device, of rows and of tiles.
[[nodiscard]] Program rows_program(const OpContext& context, std::size_t position);
[[nodiscard]] Program tensor_program(const OpContext& context, std::size_t position);
[[nodiscard]] Program pieces_program(const OpContext& context, std::size_t position);
[[nodiscard]] Program micro_program(const OpContext& context, std::size_t position);
[[nodiscard]] Program tiles_program(const OpContext& context, std::size_t position);

/// Whether rows are quantised in pieces of 128 columns: those whose scales need no other row.
[[nodiscard]] bool is_in_pieces(ScaleBlock block);
/// Strips of 32 pieces that a core keeps until their scale is known.
[[nodiscard]] std::uint32_t strips_of_pieces(const TensorSpec& input, ScaleBlock block);

/// Returns the buffer of an operand on the device at `position`, or null if it is not given.
[[nodiscard]] const Buffer* given_input(const OpContext& context, std::size_t operand,
                                        std::size_t position);

/// Returns how codes are made of elements.
[[nodiscard]] fp8::CodeForm form_of(const QuantiseSpec& spec);
/// The compute kernel of rows, for blocks of `strips` strips.
[[nodiscard]] ComputeConfig compute_config(const QuantiseSpec& spec, std::uint32_t strips);

}  // namespace tessera::ops::quantise
