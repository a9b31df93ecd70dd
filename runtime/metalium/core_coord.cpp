// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/core_coord.hpp"

#include <algorithm>

#include "tessera/errors.hpp"

namespace tt::tt_metal {

using tessera::require;

namespace {

/// Returns the cores as rectangles: runs of each row, joined with equal runs of the rows above.
std::vector<CoreRange> rectangles_of(std::span<const CoreCoord> cores) {
    std::vector<CoreCoord> sorted(cores.begin(), cores.end());
    std::ranges::sort(sorted, {}, [](const CoreCoord& core) { return std::pair(core.y, core.x); });
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::vector<CoreRange> ranges;
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t last = i;
        while (last + 1 < sorted.size() && sorted[last + 1].y == sorted[i].y &&
               sorted[last + 1].x == sorted[last].x + 1) {
            ++last;
        }
        const auto above = std::ranges::find_if(ranges, [&](const CoreRange& range) {
            return range.start_coord.x == sorted[i].x && range.end_coord.x == sorted[last].x &&
                   range.end_coord.y + 1 == sorted[i].y;
        });
        if (above != ranges.end()) {
            above->end_coord = sorted[last];
        } else {
            ranges.emplace_back(sorted[i], sorted[last]);
        }
        i = last + 1;
    }
    return ranges;
}

}  // namespace

std::string CoreCoord::str() const {
    return fmt::format("(x={},y={})", x, y);
}

CoreRange::CoreRange(const CoreCoord& start, const CoreCoord& end)
    : start_coord(start), end_coord(end) {
    require(end.x >= start.x && end.y >= start.y, "CoreRange: end {} is left of or above start {}",
            end, start);
}

bool CoreRange::contains(const CoreCoord& core) const {
    return core.x >= start_coord.x && core.x <= end_coord.x && core.y >= start_coord.y &&
           core.y <= end_coord.y;
}
bool CoreRange::contains(const CoreRange& other) const {
    return contains(other.start_coord) && contains(other.end_coord);
}
bool CoreRange::contains(const CoreRangeSet& other) const {
    return std::ranges::all_of(other.ranges(),
                               [&](const CoreRange& range) { return contains(range); });
}
std::optional<CoreRange> CoreRange::intersection(const CoreRange& other) const {
    const CoreCoord start{std::max(start_coord.x, other.start_coord.x),
                          std::max(start_coord.y, other.start_coord.y)};
    const CoreCoord end{std::min(end_coord.x, other.end_coord.x),
                        std::min(end_coord.y, other.end_coord.y)};
    return start.x <= end.x && start.y <= end.y ? std::optional(CoreRange(start, end))
                                                : std::nullopt;
}
bool CoreRange::intersects(const CoreRange& other) const {
    return intersection(other).has_value();
}
bool CoreRange::adjacent(const CoreRange& other) const {
    const auto touch = [](std::size_t end, std::size_t start) { return end + 1 == start; };
    const bool same_rows = start_coord.y == other.start_coord.y && end_coord.y == other.end_coord.y;
    const bool same_columns =
        start_coord.x == other.start_coord.x && end_coord.x == other.end_coord.x;
    return (same_rows &&
            (touch(end_coord.x, other.start_coord.x) || touch(other.end_coord.x, start_coord.x))) ||
           (same_columns &&
            (touch(end_coord.y, other.start_coord.y) || touch(other.end_coord.y, start_coord.y)));
}
std::optional<CoreRange> CoreRange::merge(const CoreRange& other) const {
    if (contains(other)) {
        return *this;
    }
    if (other.contains(*this)) {
        return other;
    }
    if (!adjacent(other)) {
        return std::nullopt;
    }
    return CoreRange(
        {std::min(start_coord.x, other.start_coord.x),
         std::min(start_coord.y, other.start_coord.y)},
        {std::max(end_coord.x, other.end_coord.x), std::max(end_coord.y, other.end_coord.y)});
}
std::string CoreRange::str() const {
    return fmt::format("[{} - {}]", start_coord, end_coord);
}
CoreCoord CoreRange::grid_size() const {
    return {end_coord.x - start_coord.x + 1, end_coord.y - start_coord.y + 1};
}
std::size_t CoreRange::size() const {
    return grid_size().x * grid_size().y;
}
CoreRange::CoreIterator& CoreRange::CoreIterator::operator++() {
    if (current_.x == range_->end_coord.x) {
        current_ = {range_->start_coord.x, current_.y + 1};
    } else {
        ++current_.x;
    }
    return *this;
}

CoreRangeSet::CoreRangeSet(std::vector<CoreRange>&& ranges) : ranges_(std::move(ranges)) {
    require_disjoint();
}
CoreRangeSet::CoreRangeSet(const std::set<CoreRange>& ranges)
    : ranges_(ranges.begin(), ranges.end()) {
    require_disjoint();
}
CoreRangeSet::CoreRangeSet(std::span<const CoreRange> ranges)
    : ranges_(ranges.begin(), ranges.end()) {
    require_disjoint();
}
CoreRangeSet::CoreRangeSet(std::span<const CoreCoord> cores) : ranges_(rectangles_of(cores)) {
}
void CoreRangeSet::require_disjoint() const {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            require(!ranges_[i].intersects(ranges_[j]), "CoreRangeSet: {} and {} overlap",
                    ranges_[j], ranges_[i]);
        }
    }
}
std::vector<CoreCoord> CoreRangeSet::all_cores() const {
    std::vector<CoreCoord> cores;
    for (const CoreRange& range : ranges_) {
        cores.insert(cores.end(), range.begin(), range.end());
    }
    return cores;
}
CoreRangeSet CoreRangeSet::subtract(const CoreRangeSet& other) const {
    std::vector<CoreCoord> cores = all_cores();
    std::erase_if(cores, [&](const CoreCoord& core) { return other.contains(core); });
    return CoreRangeSet(std::span<const CoreCoord>(cores));
}
CoreRangeSet CoreRangeSet::intersection(const CoreRangeSet& other) const {
    std::vector<CoreCoord> cores = all_cores();
    std::erase_if(cores, [&](const CoreCoord& core) { return !other.contains(core); });
    return CoreRangeSet(std::span<const CoreCoord>(cores));
}
bool CoreRangeSet::intersects(const CoreRange& other) const {
    return std::ranges::any_of(ranges_,
                               [&](const CoreRange& range) { return range.intersects(other); });
}
bool CoreRangeSet::intersects(const CoreRangeSet& other) const {
    return std::ranges::any_of(other.ranges_,
                               [&](const CoreRange& range) { return intersects(range); });
}
bool CoreRangeSet::contains(const CoreCoord& core) const {
    return std::ranges::any_of(ranges_,
                               [&](const CoreRange& range) { return range.contains(core); });
}
bool CoreRangeSet::contains(const CoreRange& other) const {
    return std::all_of(other.begin(), other.end(),
                       [&](const CoreCoord& core) { return contains(core); });
}
bool CoreRangeSet::contains(const CoreRangeSet& other) const {
    return std::ranges::all_of(other.ranges_,
                               [&](const CoreRange& range) { return contains(range); });
}
std::string CoreRangeSet::str() const {
    std::string text;
    for (const CoreRange& range : ranges_) {
        text += (text.empty() ? "" : ", ") + range.str();
    }
    return "{" + text + "}";
}
std::uint32_t CoreRangeSet::num_cores() const {
    std::size_t sum = 0;
    for (const CoreRange& range : ranges_) {
        sum += range.size();
    }
    return static_cast<std::uint32_t>(sum);
}
CoreRange CoreRangeSet::bounding_box() const {
    require(!empty(), "CoreRangeSet::bounding_box: the set has no cores");
    CoreRange box = ranges_.front();
    for (const CoreRange& range : ranges_) {
        box.start_coord = {std::min(box.start_coord.x, range.start_coord.x),
                           std::min(box.start_coord.y, range.start_coord.y)};
        box.end_coord = {std::max(box.end_coord.x, range.end_coord.x),
                         std::max(box.end_coord.y, range.end_coord.y)};
    }
    return box;
}
bool operator==(const CoreRangeSet& a, const CoreRangeSet& b) {
    return a.num_cores() == b.num_cores() && a.contains(b);
}

std::ostream& operator<<(std::ostream& stream, const CoreCoord& core) {
    return stream << core.str();
}
std::ostream& operator<<(std::ostream& stream, const CoreRange& range) {
    return stream << range.str();
}
std::ostream& operator<<(std::ostream& stream, const CoreRangeSet& set) {
    return stream << set.str();
}

}  // namespace tt::tt_metal
