// SPDX-License-Identifier: Apache-2.0
// Rows that are alternatives: the same measurement with one different choice. A designer asks a
// model which of two schedules is faster, and how certain that is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"

namespace tessera::score {

/// Measured values closer than this count as equal; their order is not scored.
inline constexpr double kFarApart = 0.05;

/// Pairs of scored rows of one group, architecture, metric and unit that differ in one word of the
/// workload or in one parameter.
struct AlternativeKind {
    std::string name;            ///< "reads or writes", "bytes_per_txn", …
    std::size_t num_pairs = 0;   ///< pairs whose measured values are kFarApart
    std::size_t num_right = 0;   ///< pairs that are predicted in the measured order
    std::size_t num_robust = 0;  ///< pairs with a robust predicted difference
    std::size_t num_robust_right = 0;
};

/// Returns whether alternatives of this kind are amounts (bytes, transactions, tiles) or other
/// workloads. The rule "more work takes longer" orders most of these correctly.
[[nodiscard]] bool is_amount_or_workload(std::string_view kind) noexcept;

/// Returns the kinds, sorted by name.
[[nodiscard]] std::vector<AlternativeKind> alternatives_of(std::span<const Row> rows,
                                                           std::span<const RowScore> scores);

}  // namespace tessera::score
