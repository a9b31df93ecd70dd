// SPDX-License-Identifier: Apache-2.0
// The least work of a call, which Op::bound of an op refines.
#pragma once

#include <initializer_list>
#include <string_view>

#include "ops/op.hpp"

namespace tessera::ops {

/// Returns the least work of the op on one device: that of Op::bound, or else operand_bytes().
[[nodiscard]] LeastWork least_work(const Op& op, const BoundContext& context);

/// Returns the work of moving each operand in DRAM once. The operands named in `except` are left
/// out: only the op's parameters or values tell how much of them it moves.
///   - An operand with counts of valid rows moves only these rows.
///   - An input without counts moves only matrices with a valid row, if it has one matrix for each
///     count (weights of experts).
[[nodiscard]] LeastWork operand_bytes(const BoundContext& context,
                                      std::initializer_list<std::string_view> except = {});

/// Returns the valid elements of an output, by counts of rows or Op::valid.
[[nodiscard]] double valid_elements(const BoundContext& context, std::size_t output);

/// Returns operand_bytes() for an op that computes row r of its first output from row r of its
/// first input. Only the valid rows of that output are read of the input.
[[nodiscard]] LeastWork row_wise_bytes(const BoundContext& context);

/// Returns operand_bytes() for an op whose first output is a copy of elements of the input `from`.
/// The op reads only these elements of `from`.
[[nodiscard]] LeastWork copied_bytes(const BoundContext& context, std::string_view from);

/// Returns the bytes of `elements` numbers in a format, without padding.
[[nodiscard]] double bytes_of_elements(double elements, DataFormat format);

/// Returns the least work of rows times a matrix: all operands, and a product of `depth` pairs for
/// each element of the first output.
[[nodiscard]] LeastWork product_work(const BoundContext& context, double depth);

/// Returns the bytes of the first output beyond its valid elements, for an op that writes zeros
/// there.
[[nodiscard]] double zero_bytes(const BoundContext& context);

/// Returns the part of a group's data that a device must receive: (n − 1) / n.
[[nodiscard]] double share_of_others(const BoundContext& context);

/// Returns the work of multiplying each row with the weights of its expert: output rows, matrices
/// of `busy` experts of the input `operand`, and products of `depth` pairs.
[[nodiscard]] LeastWork expert_work(const BoundContext& context, std::size_t operand, double busy,
                                    double depth);

/// Returns the number of entries of an integer input that are 0 or more. A negative entry means
/// "none".
[[nodiscard]] double num_present(const BoundContext& context, std::size_t operand);

/// Returns the sum of an integer input, such as counts of rows.
[[nodiscard]] double sum_of(const BoundContext& context, std::size_t operand);

}  // namespace tessera::ops
