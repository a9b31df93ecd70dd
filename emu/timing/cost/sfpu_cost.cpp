// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/sfpu_cost.hpp"

#include <algorithm>
#include <optional>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {
namespace {

std::optional<Cycles> row_of(const SfpuTiming& timing, std::string_view name) {
    const auto& rows = timing.functions;
    const auto row =
        std::ranges::lower_bound(rows, name, {}, &std::pair<std::string, Cycles>::first);
    return row != rows.end() && row->first == name ? std::optional(row->second) : std::nullopt;
}

// Rows have the name of the function, traces that of the call: exp_tile, add_unary_tile_int32.
std::string without_tile(std::string name) {
    constexpr std::string_view kTile = "_tile";
    const std::size_t at = name.find(kTile);
    const bool is_word = at != std::string::npos &&
                         (at + kTile.size() == name.size() || name[at + kTile.size()] == '_');
    return is_word ? name.erase(at, kTile.size()) : name;
}

}  // namespace

SfpuCost::SfpuCost(const SfpuTiming& timing, std::span<const std::string> names)
    : start_(to_millicycles(timing.start)), instruction_(to_millicycles(timing.instruction)) {
    // One look-up per name: a trace has few names and thousands of events. Names of files and zones
    // are looked up as well; a function without a row costs `other`.
    for (const std::string& name : names) {
        const std::string function = without_tile(name);
        const Cycles accurate = row_of(timing, function).value_or(timing.other);
        const auto variant = [&](const char* suffix) {
            return to_millicycles(row_of(timing, function + suffix).value_or(accurate));
        };
        accurate_.push_back(to_millicycles(accurate));
        approximate_.push_back(variant("_approx"));
        of_fp32_.push_back(variant("_fp32"));
    }
}

}  // namespace tessera::timing
