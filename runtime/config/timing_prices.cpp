// SPDX-License-Identifier: Apache-2.0
// Lists derived from the rows of timing constants: the bound of a key, the constants of a time.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "runtime/config/fields/timing_fields.hpp"

namespace tessera::config {
namespace {

using Constants = std::vector<PricedConstant>;

/// Returns the constants that price one of `times`, in the order of the rows.
Constants constants_among(Prices times) {
    Constants constants;
    for (const TimingSection& section : kTimingSections) {
        for (const TimingRow& row : section.rows) {
            if ((row.prices & times) != 0) {
                const bool is_map = row.field.kind == FieldKind::FactMap;
                constants.push_back(
                    {fmt::format("{}.{}{}", section.field.key, row.field.key, is_map ? "." : ""),
                     row.bound});
            }
        }
    }
    return constants;
}

Phase latency_of(Activity activity) noexcept {
    switch (activity) {
        case Activity::WaitNocRead:
            return Phase::ReadLatency;
        case Activity::WaitNocWrite:
        case Activity::WaitNocSlot:
            return Phase::WriteLatency;
        default:
            return Phase::WordLatency;
    }
}

Prices time_of(Activity activity, ResourceKind passed) noexcept {
    // A wait at no resource is the act's own time. A latency depends on the direction of the
    // transfer.
    return passed == ResourceKind::None         ? bit_of(activity)
           : passed == ResourceKind::NocLatency ? bit_of(latency_of(activity))
                                                : bit_of(passed);
}

using Table = std::array<std::array<Constants, kNumResourceKinds>, kNumActivities>;

// Filled once: reports ask for each part of each critical path.
const Table& table() {
    static const Table kTable = [] {
        Table all;
        for (std::size_t activity = 0; activity < kNumActivities; ++activity) {
            for (std::size_t passed = 0; passed < kNumResourceKinds; ++passed) {
                all[activity][passed] = constants_among(
                    time_of(static_cast<Activity>(activity), static_cast<ResourceKind>(passed)));
            }
        }
        return all;
    }();
    return kTable;
}

}  // namespace

std::span<const Field> timing_fields() {
    return kTimingFields;
}

std::optional<Bound> bound_of(std::string_view key) {
    for (const TimingSection& section : kTimingSections) {
        for (const TimingRow& row : section.rows) {
            const std::string path = fmt::format("{}.{}", section.field.key, row.field.key);
            // A map of functions is one row for all of its names.
            const bool is_below =
                row.field.kind == FieldKind::FactMap && key.starts_with(path + ".");
            if (key == path || is_below) {
                return row.bound;
            }
        }
    }
    return std::nullopt;
}

std::span<const PricedConstant> constants_of(Activity activity, ResourceKind passed) {
    return table()[static_cast<std::size_t>(activity)][static_cast<std::size_t>(passed)];
}

std::span<const PricedConstant> constants_of_gaps() {
    static const Constants kConstants = constants_among(bit_of(Phase::BetweenPrograms));
    return kConstants;
}

}  // namespace tessera::config
