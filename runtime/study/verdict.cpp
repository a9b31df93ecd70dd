// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera::compare {
namespace {

int sign(double value) noexcept {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// One limit at 95 % was tried first: it could not tell a gain with 55 % of the pairs from one with
// 91 %.
Grade grade_of(double share) noexcept {
    return share >= kRobustShare    ? Grade::Robust
           : share >= kLikelyShare  ? Grade::Likely
           : share >= kLeaningShare ? Grade::Leaning
           : share >= kEvenShare    ? Grade::EvenOdds
                                    : Grade::Unlikely;
}

}  // namespace

const char* name_of(Grade grade) noexcept {
    switch (grade) {
        case Grade::Equal:
            return "equal";
        case Grade::Robust:
            return "robust";
        case Grade::Likely:
            return "likely";
        case Grade::Leaning:
            return "leaning";
        case Grade::EvenOdds:
            return "even odds";
        case Grade::Unlikely:
            return "unlikely";
        case Grade::Ungraded:
            return "ungraded";
    }
    return "?";
}

Verdict verdict_of(double expected, std::span<const double> differences) {
    if (differences.empty()) {
        return {.grade = Grade::Ungraded};
    }
    const bool is_equal =
        expected == 0 && std::ranges::all_of(differences, [](double value) { return value == 0; });
    if (is_equal) {
        return {.grade = Grade::Equal, .share = 1, .num_pairs = differences.size()};
    }
    // No sign is expected, so that no share can agree with it.
    if (expected == 0) {
        return {.grade = Grade::EvenOdds, .num_pairs = differences.size()};
    }
    const auto num_same = std::ranges::count_if(
        differences, [&](double value) { return sign(value) == sign(expected); });
    const double share = static_cast<double>(num_same) / static_cast<double>(differences.size());
    return {.grade = grade_of(share), .share = share, .num_pairs = differences.size()};
}

std::string text_of(const Verdict& verdict) {
    switch (verdict.grade) {
        case Grade::Equal:
            return name_of(verdict.grade);
        case Grade::Ungraded:
            return fmt::format("{}: constants were not drawn", name_of(verdict.grade));
        default:
            break;
    }
    if (verdict.grade == Grade::EvenOdds && verdict.share == 0) {
        return name_of(verdict.grade);  // no sign is expected, so no share agrees with it
    }
    // Rounded down: 94.6 % must not be shown as the 95 % of a better grade.
    return fmt::format("{}: {:.0f} % of {} pairs", name_of(verdict.grade),
                       std::floor(100 * verdict.share + 1e-9), verdict.num_pairs);
}

report::Tone tone_of(const Verdict& verdict) noexcept {
    const bool is_open = verdict.grade == Grade::EvenOdds || verdict.grade == Grade::Unlikely ||
                         verdict.grade == Grade::Ungraded;
    return is_open ? report::Tone::Bad : report::Tone::Plain;
}

}  // namespace tessera::compare
