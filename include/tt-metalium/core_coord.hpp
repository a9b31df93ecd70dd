// SPDX-License-Identifier: Apache-2.0
// Cores, rectangles of cores and sets of rectangles, with TT-Metalium's names and orders.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tt-metalium/stl.hpp"

namespace tt::tt_metal {

/// A core by column (x) and row (y).
struct CoreCoord {
    std::size_t x = 0;
    std::size_t y = 0;

    constexpr CoreCoord() = default;
    constexpr CoreCoord(std::size_t column, std::size_t row) : x(column), y(row) {}
    [[nodiscard]] std::string str() const;
    friend constexpr auto operator<=>(const CoreCoord&, const CoreCoord&) = default;
};

struct RelativeCoreCoord {
    long x = 0;
    long y = 0;
};

class CoreRangeSet;

/// An inclusive rectangle of cores; iteration goes row by row (x fastest).
class CoreRange {
public:
    CoreCoord start_coord;
    CoreCoord end_coord;

    CoreRange(const CoreCoord& point) : start_coord(point), end_coord(point) {}  // NOLINT: vendor's
    /// Errors   std::runtime_error if `end` is left of or above `start`.
    CoreRange(const CoreCoord& start, const CoreCoord& end);

    [[nodiscard]] bool intersects(const CoreRange& other) const;
    [[nodiscard]] std::optional<CoreRange> intersection(const CoreRange& other) const;
    /// Returns whether both share a whole side, so that merge() gives a rectangle.
    [[nodiscard]] bool adjacent(const CoreRange& other) const;
    [[nodiscard]] bool contains(const CoreCoord& core) const;
    [[nodiscard]] bool contains(const CoreRange& other) const;
    [[nodiscard]] bool contains(const CoreRangeSet& other) const;
    /// Returns the rectangle of both, if they form one.
    [[nodiscard]] std::optional<CoreRange> merge(const CoreRange& other) const;
    [[nodiscard]] std::string str() const;
    /// Returns the number of cores.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] CoreCoord grid_size() const;

    class CoreIterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = CoreCoord;
        using difference_type = std::ptrdiff_t;
        using pointer = const CoreCoord*;
        using reference = const CoreCoord&;

        CoreIterator(const CoreCoord& current, const CoreRange& range)
            : current_(current), range_(&range) {}
        CoreCoord& operator*() { return current_; }
        CoreIterator& operator++();
        bool operator==(const CoreIterator& other) const { return current_ == other.current_; }

    private:
        CoreCoord current_;
        const CoreRange* range_;
    };
    [[nodiscard]] CoreIterator begin() const { return {start_coord, *this}; }
    [[nodiscard]] CoreIterator end() const {
        return {CoreCoord(start_coord.x, end_coord.y + 1), *this};
    }

    friend constexpr auto operator<=>(const CoreRange&, const CoreRange&) = default;
};

/// Rectangles in order. Programs of 2024 take them as a std::set.
class CoreRanges : public std::vector<CoreRange> {
public:
    using std::vector<CoreRange>::vector;
    CoreRanges(std::vector<CoreRange> ranges)  // NOLINT: the same ranges
        : std::vector<CoreRange>(std::move(ranges)) {}
    operator std::set<CoreRange>() const {  // NOLINT: what ranges() returned until 2024
        return {begin(), end()};
    }
};

/// Disjoint rectangles in the order given.
class CoreRangeSet {
public:
    CoreRangeSet() = default;
    CoreRangeSet(const CoreRange& range) : ranges_{range} {}  // NOLINT: vendor's shape
    CoreRangeSet(const CoreCoord& core) : ranges_{core} {}    // NOLINT
    /// Errors   std::runtime_error naming two ranges that overlap.
    CoreRangeSet(std::vector<CoreRange>&& ranges);    // NOLINT
    CoreRangeSet(const std::set<CoreRange>& ranges);  // NOLINT
    CoreRangeSet(std::span<const CoreRange> ranges);  // NOLINT
    explicit CoreRangeSet(std::span<const CoreCoord> cores);

    [[nodiscard]] bool empty() const { return ranges_.empty(); }
    /// Returns the number of rectangles.
    [[nodiscard]] std::size_t size() const { return ranges_.size(); }
    /// Returns the cores of both in as few rectangles as neighbours allow.
    template <class Ranges>
    [[nodiscard]] CoreRangeSet merge(const Ranges& other) const {
        std::vector<CoreCoord> cores = all_cores();
        for (const CoreRange& range : ranges_of(other)) {
            for (const CoreCoord& core : range) {
                cores.push_back(core);
            }
        }
        return CoreRangeSet(std::span<const CoreCoord>(cores));
    }
    [[nodiscard]] CoreRangeSet merge_ranges() const { return merge(*this); }
    [[nodiscard]] CoreRangeSet subtract(const CoreRangeSet& other) const;
    [[nodiscard]] CoreRangeSet intersection(const CoreRangeSet& other) const;
    [[nodiscard]] bool intersects(const CoreCoord& core) const { return contains(core); }
    [[nodiscard]] bool intersects(const CoreRange& other) const;
    [[nodiscard]] bool intersects(const CoreRangeSet& other) const;
    [[nodiscard]] bool contains(const CoreCoord& core) const;
    [[nodiscard]] bool contains(const CoreRange& other) const;
    [[nodiscard]] bool contains(const CoreRangeSet& other) const;
    /// Older name of contains().
    [[nodiscard]] bool core_coord_in_core_ranges(const CoreCoord& core) const {
        return contains(core);
    }
    [[nodiscard]] const CoreRanges& ranges() const { return ranges_; }
    [[nodiscard]] std::string str() const;
    [[nodiscard]] std::uint32_t num_cores() const;
    /// Errors   std::runtime_error if the set is empty.
    [[nodiscard]] CoreRange bounding_box() const;
    friend bool operator==(const CoreRangeSet&, const CoreRangeSet&);

private:
    [[nodiscard]] std::vector<CoreCoord> all_cores() const;
    static const std::vector<CoreRange>& ranges_of(const CoreRangeSet& set) { return set.ranges_; }
    static std::vector<CoreRange> ranges_of(const CoreRange& range) { return {range}; }
    template <class Ranges>
    static const Ranges& ranges_of(const Ranges& ranges) {
        return ranges;
    }
    void require_disjoint() const;

    CoreRanges ranges_;
};

/// Returns the first `num_cores` cores of a grid, down its columns (along its rows if row-wise).
[[nodiscard]] std::vector<CoreCoord> grid_to_cores(std::uint32_t num_cores,
                                                   std::uint32_t grid_size_x,
                                                   std::uint32_t grid_size_y,
                                                   bool row_wise = false);
/// Returns the cores of a rectangle in that order.
[[nodiscard]] std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end,
                                                   bool row_wise = false);
/// Returns the cores of a set in that order, rectangle by rectangle; at most `max_cores`.
[[nodiscard]] std::vector<CoreCoord> corerange_to_cores(
    const CoreRangeSet& set, std::optional<std::uint32_t> max_cores = std::nullopt,
    bool row_wise = false);
/// Returns the cores of a set from number `start_index` to `end_index`, both included.
[[nodiscard]] CoreRangeSet select_from_corerangeset(const CoreRangeSet& set,
                                                    std::uint32_t start_index,
                                                    std::uint32_t end_index, bool row_wise = false);

std::ostream& operator<<(std::ostream& stream, const CoreCoord& core);
std::ostream& operator<<(std::ostream& stream, const CoreRange& range);
std::ostream& operator<<(std::ostream& stream, const CoreRangeSet& set);

}  // namespace tt::tt_metal

template <>
struct std::hash<tt::tt_metal::CoreCoord> {
    std::size_t operator()(const tt::tt_metal::CoreCoord& core) const noexcept {
        return core.x * 1000003 + core.y;
    }
};
template <>
struct std::hash<tt::tt_metal::CoreRange> {
    std::size_t operator()(const tt::tt_metal::CoreRange& range) const noexcept {
        const std::hash<tt::tt_metal::CoreCoord> of_core;
        return of_core(range.start_coord) * 31 + of_core(range.end_coord);
    }
};
template <>
struct std::hash<tt::tt_metal::CoreRangeSet> {
    std::size_t operator()(const tt::tt_metal::CoreRangeSet& set) const noexcept {
        std::size_t sum = 0;
        for (const auto& range : set.ranges()) {
            sum = sum * 31 + std::hash<tt::tt_metal::CoreRange>{}(range);
        }
        return sum;
    }
};

namespace tt::names {
/// Prints what str() returns.
struct StrFormatter : fmt::formatter<std::string_view> {
    template <class T, class Context>
    auto format(const T& value, Context& context) const {
        return fmt::formatter<std::string_view>::format(value.str(), context);
    }
};
}  // namespace tt::names

// Full specialisations, which take precedence over fmt's own formatter of types with iterators.
template <>
struct fmt::formatter<tt::tt_metal::CoreCoord> : tt::names::StrFormatter {};
template <>
struct fmt::formatter<tt::tt_metal::CoreRange> : tt::names::StrFormatter {};
template <>
struct fmt::formatter<tt::tt_metal::CoreRangeSet> : tt::names::StrFormatter {};

// Older programs use these names without a namespace.
using tt_xy_pair = tt::tt_metal::CoreCoord;
using CoreCoord = tt::tt_metal::CoreCoord;
using CoreRange = tt::tt_metal::CoreRange;
using CoreRangeSet = tt::tt_metal::CoreRangeSet;
using tt::tt_metal::corerange_to_cores;
using tt::tt_metal::grid_to_cores;
