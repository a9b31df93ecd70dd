// SPDX-License-Identifier: Apache-2.0
#include "tessera/core_coord.hpp"

#include <algorithm>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

// Far above any grid, and small enough to list the cores one by one.
constexpr std::uint32_t kMaxCoresPerSide = 1024;

}  // namespace

CoreRange::CoreRange(CoreCoord start, CoreCoord end) : start_coord(start), end_coord(end) {
    require(
        end.x >= start.x && end.y >= start.y,
        "CoreRange: end {} is left of or above start {}; allowed: start at the upper left corner",
        end, start);
    require(end.x - start.x < kMaxCoresPerSide && end.y - start.y < kMaxCoresPerSide,
            "CoreRange: {} has more than {} columns or rows; no grid has as many", *this,
            kMaxCoresPerSide);
}

bool CoreRange::contains(CoreCoord core) const noexcept {
    return core.x >= start_coord.x && core.x <= end_coord.x && core.y >= start_coord.y &&
           core.y <= end_coord.y;
}

bool CoreRange::intersects(const CoreRange& other) const noexcept {
    return start_coord.x <= other.end_coord.x && other.start_coord.x <= end_coord.x &&
           start_coord.y <= other.end_coord.y && other.start_coord.y <= end_coord.y;
}

std::uint32_t CoreRange::size() const noexcept {
    return (end_coord.x - start_coord.x + 1) * (end_coord.y - start_coord.y + 1);
}

CoreRangeSet::CoreRangeSet(std::vector<CoreRange> ranges) : ranges_(std::move(ranges)) {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            require(!ranges_[j].intersects(ranges_[i]),
                    "CoreRangeSet: ranges {} and {} overlap; the ranges of a set are disjoint",
                    ranges_[j], ranges_[i]);
        }
    }
}

bool CoreRangeSet::contains(CoreCoord core) const noexcept {
    return std::ranges::any_of(ranges_, [&](const CoreRange& r) { return r.contains(core); });
}

bool CoreRangeSet::intersects(const CoreRangeSet& other) const noexcept {
    return std::ranges::any_of(ranges_, [&](const CoreRange& mine) {
        return std::ranges::any_of(
            other.ranges_, [&](const CoreRange& theirs) { return mine.intersects(theirs); });
    });
}

std::uint32_t CoreRangeSet::num_cores() const noexcept {
    std::uint32_t count = 0;
    for (const CoreRange& range : ranges_) {
        count += range.size();
    }
    return count;
}

std::vector<CoreCoord> CoreRangeSet::cores() const {
    std::vector<CoreCoord> all;
    all.reserve(num_cores());
    for (const CoreRange& range : ranges_) {
        // Offsets, because the last possible coordinate (a −1 of the caller) has no successor.
        const CoreCoord start = range.start_coord;
        for (std::uint32_t dy = 0; dy <= range.end_coord.y - start.y; ++dy) {
            for (std::uint32_t dx = 0; dx <= range.end_coord.x - start.x; ++dx) {
                all.push_back({start.x + dx, start.y + dy});
            }
        }
    }
    return all;
}

std::string to_string(CoreCoord core) {
    return fmt::format("({},{})", core.x, core.y);
}

std::string to_string(const CoreRange& range) {
    return fmt::format("{}-{}", range.start_coord, range.end_coord);
}

}  // namespace tessera
