// SPDX-License-Identifier: Apache-2.0
// An op as data, which `tessera list ops` shows and verification compares against.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::ops {

enum class HostRead : std::uint8_t { No, Yes };
enum class Presence : std::uint8_t { Required, Optional };
enum class Lies : std::uint8_t { Interleaved, Anyhow };
enum class Tiles : std::uint8_t { Whole, Any };
enum class Replicas : std::uint8_t { Own, Same };
enum class Steers : std::uint8_t { No, Yes };
enum class ValidRows : std::uint8_t { OfEachMatrix, Packed, OfDevice, OfColumn };

/// One tensor that an op takes or gives: its contract, checked before anything runs.
///
/// `shape` is an expression over the op's symbols, which all its operands share: "(E/D, T, H_in)",
/// "(D*T, H)", "(..., M, N)", "(R, ...)", "any". `format` lists formats joined by " | ", or is
/// "any", or "=a" for that of operand a. `layout` is "ROW_MAJOR", "TILE", "any", "=a" or "!a" (the
/// other one).
struct Operand {
    std::string_view name;  ///< "num_routed_tokens"
    std::string_view shape;
    std::string_view format;
    std::string_view layout;
    /// Operand of counts: of matrix e, or row e of a table, only the first counts[e] rows, or
    /// entries, mean anything. Empty: all of them.
    std::string_view valid_rows = {};
    /// Whether the host reads the values before the launch (OpContext::host_inputs).
    HostRead host_read = HostRead::No;
    Presence presence = Presence::Required;
    Lies lies = Lies::Interleaved;
    /// Whether the operand may have tiny tiles.
    Tiles tiles = Tiles::Whole;
    /// For outputs: whether every device of the group must hold the same bytes.
    Replicas replicas = Replicas::Own;
    /// Whether kernels branch on the operand's numbers, like a router on its logits. A timing-only
    /// run must then move them although they are not integers.
    Steers steers = Steers::No;
    /// Packed: the parts that `valid_rows` counts follow each other along the first axis,
    /// and only their sum of rows means anything. OfDevice: the device at position p of the group
    /// has counts[p] rows. OfColumn: it has the sum of column p of the counts (D, D).
    ValidRows rows_are = ValidRows::OfEachMatrix;
};

/// Returns the position of an operand in a table. A name that the table does not have does not
/// compile. An op with several operands makes the literals `"name"_in` and `"name"_out` of it.
consteval std::size_t place_of(std::span<const Operand> operands, std::string_view name) {
    for (std::size_t place = 0; place < operands.size(); ++place) {
        if (operands[place].name == name) {
            return place;
        }
    }
    throw "the table has no operand of this name";
}

/// Returns the position of the only operand of a table. A table of several does not compile.
consteval std::size_t only(const std::array<Operand, 1>& /*operands*/) {
    return 0;
}

/// Position of the input or output that parts shared by ops take without knowing its name:
/// like_first_input(), row_wise_bytes().
inline constexpr std::size_t kFirst = 0;

/// Allowed distance of a result from the op's reference with the default number formats: HiFi4, a
/// 32-bit DST and bfloat16 outputs. Coarser formats of a step add to it (runtime/pipeline's
/// step_tolerance). The error of an element is |result − reference| / max(|reference|, floor · rms
/// of the reference).
struct Tolerance {
    double max_relative_error = 0;  ///< 0: every element equal
    double min_pcc = 1;
    /// 1 if an element is a sum of terms that may cancel, so that its error depends on the terms.
    /// Near 0 if the error is relative to the element itself, even if the element is small.
    double floor = 1;
    /// Extent over which an element is summed, in the symbols of the inputs' shapes: "K". A 16-bit
    /// DST rounds the sum once per tile of it.
    std::string_view summed = {};
    double formats = 0;  ///< additional error of number formats that are not parameters of the op
};

/// Floor of ops that compute each element by itself, in 32 bits, and round it. It is not 0 because
/// the reference may have a number where the vector unit flushes the tail of a function to 0.
inline constexpr double kElementWise = 0x1p-8;

/// Every element equal: integers and pure data movement.
inline constexpr Tolerance kExact{};

/// One row of the table of ops. Arrays behind the spans have static lifetime.
struct OpSpec {
    std::string_view name;                        ///< also the op's folder and namespace
    std::string_view summary;                     ///< one line
    std::span<const std::string_view> schedules;  ///< names in YAML; at least one
    std::span<const Operand> inputs;
    std::span<const Operand> outputs;
    Tolerance tolerance;
};

}  // namespace tessera::ops
