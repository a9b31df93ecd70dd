// SPDX-License-Identifier: Apache-2.0
// Codes that travelled as bytes, back to bfloat16: integers with a sign, or e2m1 with its scales.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/expert_rows/counted_rows.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"
#include "ops/widen_bytes/kernels/args.hpp"

namespace tessera::ops::widen_bytes {

inline constexpr std::array<std::string_view, 2> kSchedules{"int8", "e2m1"};
inline constexpr std::array kInputs{
    Operand{"bytes", "(..., C_bytes)", "uint8", "ROW_MAJOR"},
    Operand{.name = "counts",
            .shape = "any",
            .format = "int32 | uint32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "scales",
            .shape = "any",
            .format = "uint8 | fp8_e4m3",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "(..., C)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "bytes"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// Integers to ±128, and e2m1 numbers times a scale, are exact in bfloat16.
inline constexpr OpSpec kSpec{
    .name = "widen_bytes",
    .summary = "int8 or e2m1 codes that travelled as bytes, as bfloat16",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

struct WidenBytesSpec {
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< pieces that each CB holds
    CountedBy counted_by = CountedBy::Batches;
};

/// Returns the op, for the registry: the inverse of the codes int8_bytes and e2m1 of quantise.
///
/// Int8     without scales: output = byte − 128.
/// e2m1     with scales: two numbers a byte, the even column in the low half, each times the scale
///          of its block. Scales of uint8 are e8m0 codes, 1 to 254, of 32 columns; those of fp8_e4m3
///          are of 16 columns. There is a row of them for each row.
/// Counts   rows that do not count are not written.
///
/// Pieces of up to 1024 bytes of a row are distributed over the cores by split_work_to_cores. The
/// vector unit converts bytes to integers. It splits e2m1 codes into even and odd columns, which
/// the matrix unit joins, and multiplies the numbers with their scales.
[[nodiscard]] const Op& op();

/// Columns that share a scale of this format.
[[nodiscard]] constexpr std::uint32_t scaled_columns(DataFormat scales) {
    return scales == DataFormat::Fp8_e4m3 ? 16 : 32;
}

/// Context from which a program is built.
struct PieceWork {
    PieceArgs args;
    CountedRows counted;
    SharedWork work;
};
[[nodiscard]] PieceWork piece_work(const OpContext& context);

/// Circular buffers of e2m1 codes, beside those of their split columns.
[[nodiscard]] std::vector<CbPlan> e2m1_buffers(const PieceWork& pieces, std::uint32_t cb_depth);
/// Bytes of L1 of split columns.
[[nodiscard]] std::uint64_t e2m1_split_bytes();
/// Adds the buffers and the compute kernel of e2m1 codes.
void add_e2m1_compute(Program& program, const PieceWork& pieces, std::uint32_t cb_depth);
/// Computes the numbers of e2m1 codes.
[[nodiscard]] HostTensor e2m1_reference(const ReferenceContext& context);

}  // namespace tessera::ops::widen_bytes
