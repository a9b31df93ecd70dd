// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/sfpu_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {
namespace {

using Row = std::pair<std::string, Cycles>;

/// Returns null where the function has no row.
const Row* row_of(const SfpuTiming& timing, std::string_view name) {
    const auto& rows = timing.functions;
    const auto row = std::ranges::lower_bound(rows, name, {}, &Row::first);
    return row != rows.end() && row->first == name ? &*row : nullptr;
}

// Rows have the name of the function, traces that of the call: exp_tile, add_unary_tile_int32.
std::string without_tile(std::string name) {
    constexpr std::string_view kTile = "_tile";
    const std::size_t at = name.find(kTile);
    const bool is_word = at != std::string::npos &&
                         (at + kTile.size() == name.size() || name[at + kTile.size()] == '_');
    return is_word ? name.erase(at, kTile.size()) : name;
}

/// Returns the row that prices a call, or null.
const Row* row_of(const SfpuTiming& timing, const std::string& call, std::uint8_t detail) {
    const std::string function = without_tile(call);
    const char* const mode = (detail & SfpuDetail::kApproximate) != 0 ? "_approx"
                             : (detail & SfpuDetail::kDst32) != 0     ? "_fp32"
                                                                      : "";
    const Row* const variant = row_of(timing, function + mode);
    return variant != nullptr ? variant : row_of(timing, function);
}

}  // namespace

std::string_view row_of_call(const SfpuTiming& timing, const std::string& call,
                             std::uint8_t detail) {
    const Row* const row = row_of(timing, call, detail);
    return row != nullptr ? std::string_view(row->first) : std::string_view{};
}

SfpuCost::SfpuCost(const SfpuTiming& timing, std::span<const std::string> names)
    : start_(to_millicycles(timing.start)), instruction_(to_millicycles(timing.instruction)) {
    // One look-up per name: a trace has few names and thousands of events. Names of files and zones
    // are looked up as well; a function without a row costs `other`.
    for (const std::string& name : names) {
        const auto price = [&](std::uint8_t detail) {
            const Row* const row = row_of(timing, name, detail);
            return to_millicycles(row != nullptr ? row->second : timing.other);
        };
        accurate_.push_back(price(0));
        approximate_.push_back(price(SfpuDetail::kApproximate));
        of_fp32_.push_back(price(SfpuDetail::kDst32));
    }
}

}  // namespace tessera::timing
