// SPDX-License-Identifier: Apache-2.0
// Grades a predicted difference of two times by the share of pairs of draws that agree with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/report/text_style.hpp"

namespace tessera::compare {

/// Smallest shares of pairs for each grade; a difference with a smaller share is Unlikely.
inline constexpr double kRobustShare = 0.95;
inline constexpr double kLikelyShare = 0.8;
inline constexpr double kLeaningShare = 0.6;
inline constexpr double kEvenShare = 0.4;

enum class Grade : std::uint8_t {
    Equal,     ///< the times are the same in every pair
    Robust,    ///< kRobustShare of the pairs have the sign of the expected difference
    Likely,    ///< kLikelyShare
    Leaning,   ///< kLeaningShare
    EvenOdds,  ///< kEvenShare, or pairs differ although no difference is expected
    Unlikely,  ///< fewer: most pairs contradict the expected difference
    Ungraded,  ///< constants were not drawn, so there are no pairs
};
/// Returns "equal", "robust", "likely", "leaning", "even odds", "unlikely", "ungraded".
[[nodiscard]] const char* name_of(Grade grade) noexcept;

/// Verdict on a difference. A pair has the same draw of constants in both runs, and the same shared
/// part of the model's error.
struct Verdict {
    Grade grade = Grade::Equal;
    double share = 0;  ///< share of pairs with the sign of the expected difference
    std::size_t num_pairs = 0;
};

/// Grades the differences of pairs against the expected difference; all have the same unit.
[[nodiscard]] Verdict verdict_of(double expected, std::span<const double> differences);

/// Returns "likely: 91 % of 256 pairs"; only the name if no share decides.
[[nodiscard]] std::string text_of(const Verdict& verdict);

/// Returns the colour of the text: Bad if the pairs do not show which run is faster.
[[nodiscard]] report::Tone tone_of(const Verdict& verdict) noexcept;

}  // namespace tessera::compare
