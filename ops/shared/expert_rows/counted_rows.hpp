// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor that count, by an operand of counts in device memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "ops/shared/expert_rows/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops {

/// Meaning of the operand: the first counts[b] rows of each of B equal batches, or an entry for
/// every row, −1 for rows that do not exist.
enum class CountedBy : std::uint8_t { Batches, Presence };

inline constexpr std::string_view kCountedByProse =
    "counts: first rows of equal batches, or a row each, -1 if none";

/// The rows of one tensor, as kernels/counted_rows.hpp is told them.
struct CountedRows {
    std::uint32_t rows = 0;
    std::uint32_t batches = 1;  ///< equal parts of the rows
    expert_rows::CountedForm form = expert_rows::CountedForm::All;
    std::uint32_t table_width = 1;   ///< entries of a page of the table
    std::uint32_t table_stride = 0;  ///< bytes of a page in L1
    bool is_paged = false;           ///< counts of batches, a page each

    /// Returns the bytes of L1 for all counts of batches, or for the entries of `num_rows`
    /// neighbouring rows.
    [[nodiscard]] std::uint64_t table_bytes(std::uint32_t num_rows) const;
    /// Returns the kernels' compile-time arguments.
    [[nodiscard]] expert_rows::CountedArgs args() const;
};

/// Returns the rows of a tensor of `shape`; `counts` may be null: all of them.
[[nodiscard]] CountedRows counted_rows(const ArchSpec& arch, const Shape& shape,
                                       const TensorPlan* counts, CountedBy counted_by);

/// Checks that counts fit the rows; a violation names the operand `counts`.
void judge_counts(const CountedRows& rows, const TensorPlan* counts, RuleJudge& judge);

/// Checks the values of an operand of counts. Entries by presence are compared with −1 only, so any
/// number is allowed.
void check_counted(std::string_view op, const NamedTable& counts, std::uint32_t rows,
                   CountedBy counted_by);

/// Flags of `rows` rows.
[[nodiscard]] std::vector<bool> counted_flags(std::uint32_t rows, const HostTensor& counts,
                                              CountedBy counted_by);

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::CountedBy>{
    EnumName<ops::CountedBy>{"batches", ops::CountedBy::Batches},
    EnumName<ops::CountedBy>{"presence", ops::CountedBy::Presence},
};

}  // namespace tessera::config
