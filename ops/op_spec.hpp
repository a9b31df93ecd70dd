// SPDX-License-Identifier: Apache-2.0
// An op as data, which `tessera list ops` shows and verification compares against.
#pragma once

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
    /// Whether its tiles may be tiny ones.
    Tiles tiles = Tiles::Whole;
    /// Whether every device of the group must hold the same bytes; for outputs.
    Replicas replicas = Replicas::Own;
    /// Whether kernels decide by its numbers what they do, as a router does by its logits: a run
    /// for its times alone must then move them, although they are no integers.
    Steers steers = Steers::No;
    /// Packed: the parts that `valid_rows` counts follow each other along the first axis,
    /// and only their sum of rows means anything. OfDevice: the device at position p of the group
    /// has counts[p] rows. OfColumn: it has the sum of column p of the counts (D, D).
    ValidRows rows_are = ValidRows::OfEachMatrix;
};

/// How far a result may be from the op's reference with the default number formats: HiFi4, a 32-bit
/// DST and bfloat16 outputs. Coarser formats of a step add to it (runtime/pipeline's
/// step_tolerance). The error of an element is |result − reference| / max(|reference|, floor · rms
/// of the reference).
struct Tolerance {
    double max_relative_error = 0;  ///< 0: every element equal
    double min_pcc = 1;
    /// 1 where an element is a sum of terms that may cancel, so that its error follows the terms;
    /// near 0 where the error follows the element itself, however small it is.
    double floor = 1;
    /// Extent that an element's sum runs over, as the shapes of inputs name it: "K". A 16-bit DST
    /// rounds the sum once a tile of it.
    std::string_view summed = {};
    double formats = 0;  ///< what number formats add that are no parameters of the op
};

/// Floor of ops that compute each element by itself, in 32 bits, and round it: where the vector
/// unit flushes the end of a function to 0, the reference may still have a number.
inline constexpr double kElementWise = 0x1p-8;

/// Every element equal: integers and pure data movement.
inline constexpr Tolerance kExact{};

/// One row of the table of ops. Arrays behind the spans live as long as the program.
struct OpSpec {
    std::string_view name;                        ///< also the op's folder and namespace
    std::string_view summary;                     ///< one line
    std::span<const std::string_view> schedules;  ///< as YAML names them; at least one
    std::span<const Operand> inputs;
    std::span<const Operand> outputs;
    Tolerance tolerance;
};

}  // namespace tessera::ops
