// SPDX-License-Identifier: Apache-2.0
// Coordinates and sets of cores, with TT-Metalium's names and iteration order.
#pragma once

#include <fmt/core.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A core by column (x) and row (y). Logical unless a name says virtual or physical.
struct CoreCoord {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    friend constexpr auto operator<=>(const CoreCoord&, const CoreCoord&) = default;
};

/// An inclusive rectangle of cores; iterated row by row (x fastest).
struct CoreRange {
    CoreCoord start_coord;
    CoreCoord end_coord;

    CoreRange() = default;
    /// Holds one core.
    CoreRange(CoreCoord core) : start_coord(core), end_coord(core) {}  // NOLINT: vendor's shape
    /// Errors   UsageError if `end` is left of or above `start`.
    CoreRange(CoreCoord start, CoreCoord end);

    [[nodiscard]] bool contains(CoreCoord core) const noexcept;
    [[nodiscard]] bool intersects(const CoreRange& other) const noexcept;
    /// Returns the number of cores.
    [[nodiscard]] std::uint32_t size() const noexcept;
    friend constexpr bool operator==(const CoreRange&, const CoreRange&) = default;
};

/// Disjoint rectangles in the order given.
class CoreRangeSet {
public:
    CoreRangeSet() = default;
    CoreRangeSet(CoreRange range) : ranges_{range} {}           // NOLINT: vendor's shape
    CoreRangeSet(CoreCoord core) : ranges_{CoreRange(core)} {}  // NOLINT: vendor's shape
    /// Errors   UsageError naming the two ranges that overlap.
    explicit CoreRangeSet(std::vector<CoreRange> ranges);

    [[nodiscard]] const std::vector<CoreRange>& ranges() const noexcept { return ranges_; }
    [[nodiscard]] bool contains(CoreCoord core) const noexcept;
    [[nodiscard]] bool intersects(const CoreRangeSet& other) const noexcept;
    [[nodiscard]] std::uint32_t num_cores() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
    /// Returns every core, range by range, row by row inside a range.
    [[nodiscard]] std::vector<CoreCoord> cores() const;
    friend bool operator==(const CoreRangeSet&, const CoreRangeSet&) = default;

private:
    std::vector<CoreRange> ranges_;
};

/// Returns "(x,y)".
[[nodiscard]] std::string to_string(CoreCoord core);
/// Returns "(x,y)-(x,y)".
[[nodiscard]] std::string to_string(const CoreRange& range);

}  // namespace tessera

// In the namespace of fmt, and not as fmt::formatter<…>, whose scope Doxygen does not find.
namespace fmt {

/// Formats a core like to_string(). Checks pass the object, so that its text is built only for an
/// error message.
template <>
struct formatter<tessera::CoreCoord> : formatter<std::string_view> {
    template <class Context>
    auto format(tessera::CoreCoord core, Context& context) const {
        return formatter<std::string_view>::format(to_string(core), context);
    }
};
/// Formats a range like to_string().
template <>
struct formatter<tessera::CoreRange> : formatter<std::string_view> {
    template <class Context>
    auto format(const tessera::CoreRange& range, Context& context) const {
        return formatter<std::string_view>::format(to_string(range), context);
    }
};

}  // namespace fmt
