// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/noc_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "bench/accuracy/programs/places.hpp"

namespace tessera::score {
namespace {

constexpr std::array<std::pair<std::string_view, Extent>, 4> kExtents{
    {{"one", Extent::One}, {"all", Extent::All}, {"row", Extent::Row}, {"column", Extent::Column}}};

Mechanism mechanism_of(const std::string& words, const Parameters& parameters) {
    const bool is_multicast = words.find("multicast") != std::string::npos;
    expressible(is_multicast || words.find("unicast") != std::string::npos,
                "workload {}: neither unicast nor multicast", words);
    if (!is_multicast) {
        return Mechanism::Unicast;
    }
    const bool is_linked =
        words.find("linked") != std::string::npos || parameters.flag_or("linked", false);
    return is_linked ? Mechanism::LinkedMulticast : Mechanism::Multicast;
}

/// Returns a rectangle of exactly `count` cores: a square, else whole columns, else whole rows.
std::optional<GridSize> rectangle_of(std::uint32_t count, GridSize device) {
    for (std::uint32_t side = 1; side <= std::min(device.columns, device.rows); ++side) {
        if (side * side == count) {
            return GridSize{side, side};
        }
    }
    if (count % device.rows == 0 && count / device.rows <= device.columns) {
        return GridSize{count / device.rows, device.rows};
    }
    if (count % device.columns == 0 && count / device.columns <= device.rows) {
        return GridSize{device.columns, count / device.columns};
    }
    return std::nullopt;
}

GridSize far_grid(const NocPattern& pattern, const Parameters& parameters, GridSize device) {
    if (parameters.has("grid")) {
        return parameters.grid("grid");
    }
    const bool leaves_master_out = pattern.mechanism == Mechanism::Unicast && !pattern.many_masters;
    const std::uint32_t count = parameters.has("num_dest")
                                    ? parameters.count("num_dest")
                                    : device.columns * device.rows - (leaves_master_out ? 1 : 0);
    const std::uint32_t line = count + (leaves_master_out ? 1 : 0);
    if (pattern.extent == Extent::Row) {
        return {line, 1};
    }
    if (pattern.extent == Extent::Column) {
        return {1, line};
    }
    std::optional<GridSize> grid = rectangle_of(count, device);
    if (!grid && leaves_master_out) {
        grid = rectangle_of(count + 1, device);
    }
    expressible(grid.has_value(), "{} far ends are no rectangle of the {}x{} compute grid", count,
                device.columns, device.rows);
    return *grid;
}

/// Returns whether a master is at (0,0), inside of the far ends' rectangle.
bool master_is_inside(const NocPattern& pattern, const Parameters& parameters, GridSize far,
                      GridSize device) {
    if (pattern.mechanism != Mechanism::Unicast) {
        return parameters.flag_or("loopback", false);
    }
    const bool fills_device = far.columns >= device.columns && far.rows >= device.rows;
    const bool one_is_left_out =
        parameters.has("num_dest") && parameters.count("num_dest") + 1 == far.columns * far.rows;
    return pattern.is_read || pattern.extent != Extent::All || fills_device || one_is_left_out;
}

CoreCoord beside(const NocPattern& pattern, GridSize far, GridSize device) {
    const bool below = pattern.extent == Extent::Row || far.columns >= device.columns;
    return below ? CoreCoord{0, far.rows} : CoreCoord{far.columns, 0};
}

NocParties pair_of_cores(const Parameters& parameters) {
    const bool is_near = parameters.flag_or("adjacent_or_same_axis", false);
    const CoreCoord far_end = is_near ? CoreCoord{0, 1} : CoreCoord{1, 1};
    return {CoreRangeSet(CoreCoord{0, 0}), CoreRange(far_end), {far_end}};
}

/// Returns the cores column by column, in the order of corerange_to_cores() for the estimator's
/// kernels. The next far end is in the same column as the previous one.
std::vector<CoreCoord> cores_without(const CoreRange& rectangle,
                                     const std::optional<CoreCoord>& left_out) {
    std::vector<CoreCoord> cores = CoreRangeSet(rectangle).cores();
    std::ranges::sort(cores, {}, [](CoreCoord core) { return std::pair(core.x, core.y); });
    if (left_out) {
        std::erase(cores, *left_out);
    }
    return cores;
}

}  // namespace

NocPattern noc_pattern_of(const Row& row, const Parameters& parameters) {
    std::string words = row.workload;
    std::ranges::replace(words, '_', ' ');
    NocPattern pattern{.is_read = words.find(" from ") != std::string::npos,
                       .mechanism = mechanism_of(words, parameters)};
    const char* preposition = pattern.is_read ? "from" : "to";
    const auto has = [&](std::string_view first, std::string_view second) {
        return words.find(fmt::format("{} {} {}", first, preposition, second)) != std::string::npos;
    };
    for (const auto& [name, extent] : kExtents) {
        if (has("one", name) || has(name, name)) {
            pattern.extent = extent;
            pattern.many_masters = extent != Extent::One && has(name, name);
            return pattern;
        }
    }
    throw NotExpressible(fmt::format("workload {}: not a pattern of cores", row.workload));
}

NocParties noc_parties_of(const NocPattern& pattern, const Parameters& parameters,
                          const ArchSpec& arch) {
    if (pattern.extent == Extent::One) {
        return pair_of_cores(parameters);
    }
    const GridSize device = arch.workers.compute;
    const GridSize far = far_grid(pattern, parameters, device);
    check_core(arch, {far.columns - 1, far.rows - 1});
    const CoreRange rectangle({0, 0}, {far.columns - 1, far.rows - 1});
    const bool is_inside = master_is_inside(pattern, parameters, far, device);
    const CoreCoord corner = is_inside ? CoreCoord{0, 0} : beside(pattern, far, device);
    if (pattern.many_masters) {
        const bool is_multicast = pattern.mechanism != Mechanism::Unicast;
        const CoreCoord start = is_multicast ? corner : CoreCoord{0, 0};
        const CoreCoord end{start.x + far.columns - 1, start.y + far.rows - 1};
        check_core(arch, end);
        return {CoreRangeSet(CoreRange(start, end)), rectangle, cores_without(rectangle, {})};
    }
    check_core(arch, corner);
    return {CoreRangeSet(corner), rectangle, cores_without(rectangle, corner)};
}

}  // namespace tessera::score
