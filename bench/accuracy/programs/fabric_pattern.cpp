// SPDX-License-Identifier: Apache-2.0
// Source   tt-metal tests/tt_metal/microbenchmarks/ethernet/test_fabric_edm_bandwidth.py and
//          tests/tt_metal/tt_metal/perf_microbenchmark/routing/test_fabric_ubench_*.yaml.
#include "bench/accuracy/programs/fabric_pattern.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace tessera::score {
namespace {

using enum LinkDirection;

// Lines and rings of the machines: T3000 is 2×4 chips, a Galaxy 8×4, four P150 2×2. A row's packets
// and cycles give these counts: 3 flows of a LinearMulticast share a link of T3000, 7 of a Galaxy.
struct Machine {
    std::string_view name;
    std::uint32_t line;
    std::uint32_t ring;
};
constexpr std::array kMachines{Machine{"T3000 8 chips", 4, 8}, Machine{"Galaxy 32 chips", 8, 8},
                               Machine{"4 x P150", 2, 4}};

const Machine& machine_of(const Parameters& parameters) {
    const std::string& name = parameters.text("machine");
    const auto* const machine = std::ranges::find(kMachines, name, &Machine::name);
    expressible(machine != kMachines.end(), "no mesh is known for the machine {}", name);
    return *machine;
}

/// "[4,2]" states a value for rows of a mesh and one for its columns, which share no link. The
/// first one, of the longer lines, decides.
Parameters of_first_axis(const Parameters& parameters) {
    std::string text;
    for (const char* key : {"line_size", "interior_workers_disabled", "unidirectional"}) {
        std::string value = parameters.text(key);
        if (value.starts_with('[')) {
            value = value.substr(1, value.find_first_of(",]") - 1);
        }
        text += fmt::format("{}{}={}", text.empty() ? "" : ";", key, value);
    }
    return Parameters(text);
}

/// Half of a line each way, to its ends.
std::vector<FabricFlow> to_both_ends(std::uint32_t devices) {
    std::vector<FabricFlow> flows;
    for (std::uint32_t device = 0; device < devices; ++device) {
        const LinkRoute route =
            device < devices / 2 ? LinkRoute{East, devices - 1 - device} : LinkRoute{West, device};
        flows.push_back({device, route});
    }
    return flows;
}

std::vector<FabricFlow> to_neighbours(std::uint32_t devices) {
    std::vector<FabricFlow> flows;
    for (std::uint32_t device = 0; device + 1 < devices; ++device) {
        flows.push_back({device, {East, 1}});
        flows.push_back({device + 1, {West, 1}});
    }
    return flows;
}

std::vector<FabricFlow> one_to_all(std::uint32_t devices) {
    std::vector<FabricFlow> flows;
    for (std::uint32_t hops = 1; hops < devices; ++hops) {
        flows.push_back({0, {East, hops}});
    }
    return flows;
}

/// Both ways around the ring, past all others.
std::vector<FabricFlow> around(std::uint32_t devices) {
    std::vector<FabricFlow> flows;
    for (std::uint32_t device = 0; device < devices; ++device) {
        flows.push_back({device, {East, devices - 1}});
        flows.push_back({device, {West, devices - 1}});
    }
    return flows;
}

/// Flows over the busiest link, one way.
std::uint32_t most_on_a_link(const FabricPattern& pattern) {
    const MeshShape shape{1, pattern.devices};
    std::map<std::pair<std::uint32_t, LinkDirection>, std::uint32_t> flows_on;
    std::uint32_t most = 0;
    for (const auto& [device, route] : pattern.flows) {
        for (std::uint32_t hop = 0; hop < route.hops; ++hop) {
            const auto at = neighbour(shape, pattern.topology, device, {route.direction, hop});
            most = std::max(most, ++flows_on[{at.value(), route.direction}]);
        }
    }
    return most;
}

}  // namespace

FabricPattern edm_pattern(std::string_view name, const Parameters& parameters) {
    // On the cables of a ring a line is a line.
    expressible(name == "unicast_Linear" || name == "unicast_RingAsLinear" ||
                    name == "unicast_Linear_all_rows_all_cols_mesh",
                "no program for the streams {}", name);
    const Parameters axis = of_first_axis(parameters);
    const std::uint32_t devices = axis.count("line_size");
    expressible(devices >= 2 && devices % 2 == 0, "a line of {} devices", devices);
    const bool is_one_way = axis.flag("unidirectional");
    const bool ends_only = axis.flag("interior_workers_disabled");
    FabricPattern pattern{.devices = devices, .flows = to_both_ends(devices)};
    std::erase_if(pattern.flows, [&](const FabricFlow& flow) {
        return (is_one_way && flow.route.direction == West) ||
               (ends_only && flow.route.hops != devices - 1);
    });
    // The published figure counts one flow for each of these two, also where several senders share
    // the link (profile_results).
    pattern.counted = is_one_way || ends_only ? 1 : devices / 2;
    return pattern;
}

FabricPattern ubench_pattern(std::string_view name, const Parameters& parameters) {
    const auto& [machine, line, ring] = machine_of(parameters);
    FabricPattern pattern{.devices = line};
    if (name == "NeighborExchangeUnicast" || name == "NeighborExchangeLinear") {
        pattern.flows = to_neighbours(line);
    } else if (name == "SingleSenderLinearUnicastAllDevices") {
        pattern.flows = one_to_all(line);
    } else if (name == "FullRingUnicast") {
        pattern = {.devices = ring, .topology = Topology::Ring, .flows = around(ring)};
    }
    expressible(!pattern.flows.empty(), "no program for the pattern {}", name);
    pattern.counted = most_on_a_link(pattern);
    return pattern;
}

}  // namespace tessera::score
