// SPDX-License-Identifier: Apache-2.0
// The least work of a call, which Op::bound of an op refines.
#pragma once

#include <initializer_list>
#include <string_view>

#include "ops/op.hpp"

namespace tessera::ops {

/// Returns the least work of the op on one device: that of Op::bound, or else operand_bytes().
[[nodiscard]] LeastWork least_work(const Op& op, const BoundContext& context);

/// Returns the work of moving each operand in DRAM once, except those named in `except`, of which
/// the op moves a part that only its parameters or values tell.
///   - Of an operand with counts of valid rows, only these rows.
///   - Of an input without them whose matrices are those of the counts (weights of experts), only
///     matrices with a row.
[[nodiscard]] LeastWork operand_bytes(const BoundContext& context,
                                      std::initializer_list<std::string_view> except = {});

/// Returns the valid elements of an output, by counts of rows or Op::valid.
[[nodiscard]] double valid_elements(const BoundContext& context, std::size_t output);

/// As operand_bytes(), of an op that computes each row of its first output from the row of the
/// first input at the same place: rows of both are valid alike.
[[nodiscard]] LeastWork row_wise_bytes(const BoundContext& context);

/// As operand_bytes(), of an op whose outputs are elements of the input `from`, which it reads no
/// more of.
[[nodiscard]] LeastWork copied_bytes(const BoundContext& context, std::string_view from);

/// Returns the bytes of `elements` numbers in a format, without padding.
[[nodiscard]] double bytes_of_elements(double elements, DataFormat format);

/// Returns the least work of rows times a matrix: all operands, and a product of `depth` pairs for
/// each element of the first output.
[[nodiscard]] LeastWork product_work(const BoundContext& context, double depth);

/// Returns the part of a group's data that a device must receive: (n − 1) / n.
[[nodiscard]] double share_of_others(const BoundContext& context);

/// Returns the work of rows times the weights of the expert that each belongs to: output rows,
/// matrices of `busy` experts of input 1, and products of `depth` pairs.
[[nodiscard]] LeastWork expert_work(const BoundContext& context, double busy, double depth);

/// Returns how many entries of an integer input are not negative: rows, experts or positions that
/// are there.
[[nodiscard]] double num_present(const BoundContext& context, std::size_t operand);

/// Returns the sum of an integer input, such as counts of rows.
[[nodiscard]] double sum_of(const BoundContext& context, std::size_t operand);

}  // namespace tessera::ops
