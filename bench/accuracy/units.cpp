// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/units.hpp"

#include "bench/accuracy/parameters.hpp"

namespace tessera::score {
namespace {

constexpr double kNano = 1e9;
constexpr double kMicro = 1e6;

}  // namespace

Prediction as_time(const Row& row, Prediction cycles, const Model& model) {
    const double clock = model.arch.clock.value;
    if (row.unit == "cycles") {
        return cycles;
    }
    expressible(row.unit == "ns" || row.unit == "us", "the unit of {} is {}, not cycles, ns or us",
                row.metric, row.unit);
    const double per_second = row.unit == "ns" ? kNano : kMicro;
    return cycles.as([&](double count) { return count / clock * per_second; });
}

Prediction as_bandwidth(const Row& row, double bytes, Prediction cycles, const Model& model) {
    expressible(row.unit == "B/cycle" || row.unit == "GB/s",
                "the unit of {} is {}, not B/cycle or GB/s", row.metric, row.unit);
    const double scale = row.unit == "GB/s" ? model.arch.clock.value / kNano : 1;
    return cycles.as([&](double count) { return bytes / count * scale; });
}

}  // namespace tessera::score
