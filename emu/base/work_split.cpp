// SPDX-License-Identifier: Apache-2.0
#include "tessera/work_split.hpp"

#include <algorithm>

#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

/// A rectangle as lines of equal length: columns, or rows if row-wise.
class LinedRange {
public:
    LinedRange(const CoreRange& range, RowWise row_wise) : range_(range), row_wise_(row_wise) {}

    [[nodiscard]] std::uint32_t line_length() const {
        return by_rows() ? range_.end_coord.x - range_.start_coord.x + 1
                         : range_.end_coord.y - range_.start_coord.y + 1;
    }
    [[nodiscard]] std::uint32_t size() const { return range_.size(); }
    [[nodiscard]] CoreCoord at(std::uint32_t position) const {
        const std::uint32_t line = position / line_length();
        const std::uint32_t place = position % line_length();
        return by_rows() ? CoreCoord{range_.start_coord.x + place, range_.start_coord.y + line}
                         : CoreCoord{range_.start_coord.x + line, range_.start_coord.y + place};
    }

private:
    [[nodiscard]] bool by_rows() const { return row_wise_ == RowWise::Yes; }
    CoreRange range_;
    RowWise row_wise_;
};

/// Appends positions [begin, end) of `lined` as a partial first line, whole lines together, and
/// a partial last line.
void append_rectangles(std::vector<CoreRange>& out, const LinedRange& lined, std::uint32_t begin,
                       std::uint32_t end) {
    const std::uint32_t length = lined.line_length();
    while (begin < end) {
        const std::uint32_t to_line_end = length - begin % length;
        const bool is_line_start = to_line_end == length;
        const std::uint32_t count = is_line_start && end - begin >= length
                                        ? (end - begin) / length * length
                                        : std::min(to_line_end, end - begin);
        out.emplace_back(lined.at(begin), lined.at(begin + count - 1));
        begin += count;
    }
}

/// Returns cores `first` to `first + count` of a set, in the order of the split.
CoreRangeSet take_cores(const CoreRangeSet& set, std::uint32_t first, std::uint32_t count,
                        RowWise row_wise) {
    std::vector<CoreRange> taken;
    std::uint32_t passed = 0;
    for (const CoreRange& range : set.ranges()) {
        const LinedRange lined(range, row_wise);
        const std::uint32_t begin = std::clamp(first, passed, passed + lined.size()) - passed;
        const std::uint32_t end = std::clamp(first + count, passed, passed + lined.size()) - passed;
        append_rectangles(taken, lined, begin, end);
        passed += lined.size();
    }
    return CoreRangeSet(std::move(taken));
}

CoreRangeSet whole_grid(const char* function, CoreCoord grid) {
    require_allowed(grid.x > 0 && grid.y > 0, function, "grid without cores",
                    fmt::format("{} columns × {} rows", grid.x, grid.y), "1 × 1 or more");
    return CoreRange({0, 0}, {grid.x - 1, grid.y - 1});
}

}  // namespace

WorkSplit split_work_to_cores(CoreCoord grid, std::uint32_t units, RowWise row_wise) {
    if (units == 0) {
        return {0, {}, {}, {}, 0, 0};
    }
    return split_work_to_cores(whole_grid("split_work_to_cores", grid), units, row_wise);
}

WorkSplit split_work_to_cores(const CoreRangeSet& grid, std::uint32_t units, RowWise row_wise) {
    if (units == 0) {
        return {0, {}, {}, {}, 0, 0};
    }
    require(!grid.empty(), "split_work_to_cores: the set of cores is empty; give at least 1 core");
    const std::uint32_t max_cores = grid.num_cores();
    const std::uint32_t num_cores = std::min(units, max_cores);
    const CoreRangeSet all =
        num_cores == max_cores ? grid : take_cores(grid, 0, num_cores, row_wise);
    const std::uint32_t fewer = units / num_cores;
    const std::uint32_t num_with_more = units % num_cores;
    if (num_with_more == 0) {
        return {num_cores, all, all, {}, fewer, 0};
    }
    return {num_cores,
            all,
            take_cores(grid, 0, num_with_more, row_wise),
            take_cores(grid, num_with_more, num_cores - num_with_more, row_wise),
            fewer + 1,
            fewer};
}

CoreRangeSet num_cores_to_corerangeset(std::uint32_t num_cores, CoreCoord grid, RowWise row_wise) {
    const CoreRangeSet whole = whole_grid("num_cores_to_corerangeset", grid);
    require(num_cores <= whole.num_cores(),
            "num_cores_to_corerangeset: num_cores {} exceeds the {} cores of a {}×{} grid",
            num_cores, whole.num_cores(), grid.x, grid.y);
    return take_cores(whole, 0, num_cores, row_wise);
}

std::vector<CoreCoord> grid_to_cores(std::uint32_t num_cores, std::uint32_t columns,
                                     std::uint32_t rows, RowWise row_wise) {
    const CoreRangeSet whole = whole_grid("grid_to_cores", {columns, rows});
    require(num_cores <= whole.num_cores(),
            "grid_to_cores: num_cores {} exceeds the {} cores of a {}×{} grid", num_cores,
            whole.num_cores(), columns, rows);
    return corerange_to_cores(whole, num_cores, row_wise);
}

std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& set, std::uint32_t max_cores,
                                          RowWise row_wise) {
    std::vector<CoreCoord> cores;
    for (const CoreRange& range : set.ranges()) {
        const LinedRange lined(range, row_wise);
        for (std::uint32_t i = 0; i < lined.size() && cores.size() < max_cores; ++i) {
            cores.push_back(lined.at(i));
        }
    }
    return cores;
}

}  // namespace tessera
