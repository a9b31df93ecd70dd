// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/routing_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/report/text_table.hpp"

namespace tessera::model {
namespace {

using report::Align;
using report::Column;

std::size_t largest(const std::vector<double>& loads) {
    return static_cast<std::size_t>(std::ranges::max_element(loads) - loads.begin());
}

}  // namespace

std::string routing_text(const RoutingLoad& load, const Placement& placement,
                         const report::TextStyle& style) {
    const std::vector<double> experts(load.experts.begin(), load.experts.end());
    std::vector<Column> columns{{"device", Align::Right, 9, {}},
                                {"experts", Align::Right, 7, {}},
                                {"choices", Align::Right, 8, {}},
                                {"busiest expert", Align::Right, 6, {}},
                                {"its choices", Align::Right, 5, {}}};
    for (std::uint32_t device = 0; device < load.devices.size(); ++device) {
        std::vector<double> own(experts.size(), -1);
        for (std::size_t expert = 0; expert < experts.size(); ++expert) {
            if (placement[expert] == device) {
                own[expert] = experts[expert];
            }
        }
        const auto count = std::ranges::count(placement, device);
        columns[0].cells.push_back({fmt::format("{}", device)});
        columns[1].cells.push_back({fmt::format("{}", count)});
        columns[2].cells.push_back({fmt::format("{:g}", load.devices[device])});
        columns[3].cells.push_back({count == 0 ? "" : fmt::format("{}", largest(own))});
        columns[4].cells.push_back({count == 0 ? "" : fmt::format("{}", own[largest(own)])});
    }
    return to_text(columns, style) +
           fmt::format(
               "Load of devices: largest {:.3f} × mean (device {}); of experts: largest {:.3f} × "
               "mean (expert {})\nA token reaches {:.2f} devices, at most {}\n",
               max_over_mean(load.devices), largest(load.devices), max_over_mean(experts),
               largest(experts), load.fan_out, load.most_devices);
}

}  // namespace tessera::model
