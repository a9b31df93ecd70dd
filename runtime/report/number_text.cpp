// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tessera::report {
namespace {

// Returns three significant digits of a number below 1024.
std::string three_digits(double value) {
    if (value < 9.995) {
        return fmt::format("{:.2f}", value);
    }
    return fmt::format("{:.{}f}", value, value < 99.95 ? 1 : 0);
}

// Returns a number with a space between each three digits before its decimal point.
std::string in_groups(std::string number) {
    const std::size_t first = number.starts_with('-') ? 1 : 0;
    for (std::size_t at = std::min(number.find('.'), number.size()); at > first + 3; at -= 3) {
        number.insert(at - 3, 1, ' ');
    }
    return number;
}

template <std::size_t N>
std::string with_prefix(double value, double step, const std::array<std::string_view, N>& units) {
    std::size_t i = 0;
    for (; i + 1 < N && value >= step * 0.9995; ++i) {
        value /= step;
    }
    return fmt::format("{} {}", three_digits(value), units[i]);
}

}  // namespace

std::string show_count(double count) {
    constexpr double kExactBelow = 100'000;
    if (count < kExactBelow) {
        return fmt::format("{:.{}f}", count, count == std::floor(count) ? 0 : 1);
    }
    constexpr std::array<std::string_view, 4> kUnits{"k", "M", "G", "T"};
    return with_prefix(count / 1000, 1000, kUnits);
}

std::string show_bytes(double bytes) {
    if (bytes < 1024) {
        return fmt::format("{:.0f} B", bytes);
    }
    constexpr std::array<std::string_view, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
    return with_prefix(bytes / 1024, 1024, kUnits);
}

std::string show_seconds(double seconds) {
    if (seconds < 1e-3) {
        return fmt::format("{:.0f} us", seconds * 1e6);
    }
    if (seconds < 1) {
        return three_digits(seconds * 1e3) + " ms";
    }
    return three_digits(seconds) + " s";
}

std::string show_share(double share) {
    if (share > 0 && share < 0.005) {
        return "<1 %";
    }
    return fmt::format("{:.0f} %", share * 100);
}

std::string show_change(double share) {
    const std::string number = fmt::format("{:.1f} %", 100 * std::abs(share));
    const char* const sign = number == "0.0 %" ? "" : share < 0 ? "−" : "+";
    return sign + number;
}

std::string show_pcc(double pcc) {
    if (std::isnan(pcc)) {
        return "–";  // a constant tensor has no correlation
    }
    constexpr double kDigits = 1e6;
    if (!std::isfinite(pcc) || pcc == 1) {
        return fmt::format("{}", pcc);
    }
    return fmt::format("{:.6f}", std::floor(pcc * kDigits) / kDigits);
}

std::string show_error(double error) {
    return error == 0 ? "0" : fmt::format("{:.1e}", error);
}

std::string show_cycles(std::int64_t millicycles) {
    constexpr std::int64_t kPerCycle = 1000;
    return in_groups(std::to_string((millicycles + kPerCycle / 2) / kPerCycle));
}

std::string show_microseconds(double nanoseconds) {
    return in_groups(fmt::format("{:.3f}", nanoseconds / 1000));
}

std::string show_duration(double seconds) {
    constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
    return with_prefix(seconds * 1e9, 1000, kUnits);
}

std::string show_rate(double per_second, const std::string& unit) {
    constexpr std::array<std::string_view, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
    return with_prefix(per_second, 1000, kPrefixes) + unit;
}

}  // namespace tessera::report
