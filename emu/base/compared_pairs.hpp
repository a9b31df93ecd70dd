// SPDX-License-Identifier: Apache-2.0
// Iterates over the pairs of a comparison in blocks that stay in the host's L1 cache.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tessera/errors.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera {

/// Kind of a pair: both finite; both NaN; infinities that agree; or not comparable.
enum class PairKind : std::uint8_t { Finite, TwoNan, AgreeInfinite, Fault };

/// Classifies a pair. `largest`: larger magnitudes match an infinity of the same sign, because the
/// format of one side may not represent them.
[[nodiscard]] inline PairKind kind_of(
    double test, double reference,
    double largest = std::numeric_limits<double>::infinity()) noexcept {
    if (std::isfinite(test) && std::isfinite(reference)) [[likely]] {
        return PairKind::Finite;
    }
    if (std::isnan(test) && std::isnan(reference)) {
        return PairKind::TwoNan;
    }
    const bool agree =
        std::min(test, reference) >= largest || std::max(test, reference) <= -largest;
    return agree ? PairKind::AgreeInfinite : PairKind::Fault;
}

/// Returns the magnitude from which on a number agrees with an infinity of its sign.
[[nodiscard]] inline double largest_compared(const CloseTolerance& tolerance) noexcept {
    return tolerance.format.largest * (1 - tolerance.max_rel_err);
}
/// Returns an error relative to the larger of |reference| and the tolerance's part of the rms, as
/// rule 1 of tensor_compare.hpp compares it. The result is 0 if the error and both of these are 0.
[[nodiscard]] inline double relative_error(double error, double reference, double reference_rms,
                                           const CloseTolerance& tolerance) noexcept {
    const double found = error / std::max(std::abs(reference), tolerance.floor * reference_rms);
    return found > 0 ? found : 0;
}

/// Pairs of a block: its two arrays of doubles take 8 KiB of the host's L1 cache.
inline constexpr std::size_t kPairsPerBlock = 512;

/// Consecutive pairs of one part, beginning with element `first`.
struct PairBlock {
    std::size_t part = 0;
    std::size_t first = 0;
    std::span<const double> test;
    std::span<const double> reference;

    [[nodiscard]] ComparedPair pair(std::size_t i) const noexcept {
        return {part, first + i, test[i], reference[i]};
    }
};

/// Calls `visit(const PairBlock&)` for all pairs in order, part by part.
/// Errors   InternalError if the two sides of a part differ in size.
template <class Visit>
void for_each_block(std::span<const ComparedPart> parts, Visit visit) {
    std::array<double, kPairsPerBlock> test{};
    std::array<double, kPairsPerBlock> reference{};
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::size_t size = parts[part].test.size();
        ensure(size == parts[part].reference.size(),
               "comparison: part {} has {} values and {} references", part, size,
               parts[part].reference.size());
        for (std::size_t first = 0; first < size; first += kPairsPerBlock) {
            const std::size_t count = std::min(kPairsPerBlock, size - first);
            const std::span test_values = std::span(test).first(count);
            const std::span reference_values = std::span(reference).first(count);
            parts[part].test.load(first, test_values);
            parts[part].reference.load(first, reference_values);
            visit(PairBlock{part, first, test_values, reference_values});
        }
    }
}

}  // namespace tessera
