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

// Machines of the rows: T3000 is 2×4 chips, a Galaxy 8×4, four P150 2×2. A row's packets and cycles
// give the number of flows per link. In LinearMulticast 3 flows share a link of T3000, 7 of a
// Galaxy.
struct Machine {
    std::string_view name;
    std::uint32_t line;
    std::uint32_t ring;
    MeshShape mesh;
};
constexpr std::array kMachines{Machine{"T3000 8 chips", 4, 8, {2, 4}},
                               Machine{"Galaxy 32 chips", 8, 8, {8, 4}},
                               Machine{"4 x P150", 2, 4, {2, 2}}};

const Machine& machine_of(const Parameters& parameters) {
    const std::string& name = parameters.text("machine");
    const auto* const machine = std::ranges::find(kMachines, name, &Machine::name);
    expressible(machine != kMachines.end(), "no mesh is known for the machine {}", name);
    return *machine;
}

/// Parses "[4,2]": a value for rows of a mesh and one for columns, which share no link. The first
/// value belongs to the longer lines and determines the result.
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

/// Sends from half of a line in each direction, to the ends of the line.
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

/// Sends from each device in both directions along a line, to the ends.
std::vector<FabricFlow> to_each_end(std::uint32_t devices) {
    std::vector<FabricFlow> flows;
    for (std::uint32_t device = 0; device < devices; ++device) {
        flows.push_back({device, {East, devices - 1 - device}});
        flows.push_back({device, {West, device}});
    }
    std::erase_if(flows, [](const FabricFlow& flow) { return flow.route.hops == 0; });
    return flows;
}

/// Sends from each device in both directions around the ring.
std::vector<FabricFlow> around(std::uint32_t devices, std::uint32_t hops) {
    std::vector<FabricFlow> flows;
    for (std::uint32_t device = 0; device < devices; ++device) {
        flows.push_back({device, {East, hops}});
        flows.push_back({device, {West, hops}});
    }
    return flows;
}

FabricPattern to_all_on_the_way(FabricPattern pattern) {
    for (FabricFlow& flow : pattern.flows) {
        flow.cast = Cast::ToAllOnTheWay;
    }
    return pattern;
}

/// Sends from each device to each other one: along its own row, and along its column with branches
/// along each row.
FabricPattern box_to_all(MeshShape shape) {
    FabricPattern pattern{.shape = shape};
    for (std::uint32_t device = 0; device < shape.num_devices(); ++device) {
        const std::uint32_t row = device / shape.columns;
        const std::uint32_t west = device % shape.columns;
        const std::uint32_t east = shape.columns - 1 - west;
        using enum Cast;
        pattern.flows.push_back({device, {North, row}, ToAllOnTheWay, {}, east, west});
        pattern.flows.push_back(
            {device, {South, shape.rows - 1 - row}, ToAllOnTheWay, {}, east, west});
        pattern.flows.push_back({device, {East, east}, ToAllOnTheWay});
        pattern.flows.push_back({device, {West, west}, ToAllOnTheWay});
    }
    std::erase_if(pattern.flows, [](const FabricFlow& flow) { return flow.route.hops == 0; });
    return pattern;
}

/// Sends from the first device to each other one, along the column first.
FabricPattern one_to_mesh(MeshShape shape) {
    FabricPattern pattern{.shape = shape};
    for (std::uint32_t device = 1; device < shape.num_devices(); ++device) {
        const LinkRoute column{South, device / shape.columns};
        const LinkRoute row{East, device % shape.columns};
        pattern.flows.push_back({0, column.hops != 0 ? column : row, Cast::ToEnd,
                                 column.hops != 0 ? row : LinkRoute{}});
    }
    return pattern;
}

/// Counts the flows on each link.
class LinkLoads {
public:
    explicit LinkLoads(const FabricPattern& pattern) : pattern_(pattern) {}

    /// Returns the device after the last link.
    std::uint32_t add(std::uint32_t device, LinkRoute route) {
        for (std::uint32_t hop = 0; hop < route.hops; ++hop) {
            most = std::max(most, ++flows_on_[{device, route.direction}]);
            device =
                neighbour(pattern_.shape, pattern_.topology, device, {route.direction, 1}).value();
        }
        return device;
    }

    std::uint32_t most = 0;

private:
    const FabricPattern& pattern_;
    std::map<std::pair<std::uint32_t, LinkDirection>, std::uint32_t> flows_on_;
};

/// Returns the number of flows over the busiest link in one direction.
std::uint32_t most_on_a_link(const FabricPattern& pattern) {
    LinkLoads loads(pattern);
    for (const FabricFlow& flow : pattern.flows) {
        std::uint32_t device = flow.device;
        for (std::uint32_t hop = 0; hop < flow.route.hops; ++hop) {
            device = loads.add(device, {flow.route.direction, 1});
            loads.add(device, {East, flow.east});
            loads.add(device, {West, flow.west});
        }
        loads.add(device, flow.turn);
    }
    return loads.most;
}

FabricPattern line_pattern(const Parameters& axis) {
    const std::uint32_t devices = axis.count("line_size");
    expressible(devices >= 2 && devices % 2 == 0, "a line of {} devices", devices);
    const bool is_one_way = axis.flag("unidirectional");
    const bool ends_only = axis.flag("interior_workers_disabled");
    FabricPattern pattern{.shape = {1, devices}, .flows = to_both_ends(devices)};
    std::erase_if(pattern.flows, [&](const FabricFlow& flow) {
        return (is_one_way && flow.route.direction == West) ||
               (ends_only && flow.route.hops != devices - 1);
    });
    // The published figure counts one flow for these two patterns, even if several senders share
    // the link (profile_results).
    pattern.counted = is_one_way || ends_only ? 1 : devices / 2;
    return pattern;
}

FabricPattern ring_pattern(const Parameters& axis) {
    const std::uint32_t devices = axis.count("line_size");
    expressible(devices > 2, "a ring of {} devices", devices);
    return {.shape = {1, devices},
            .topology = Topology::Ring,
            .flows = around(devices, devices - 1),
            .counted = devices - 1};
}

/// Returns the flows of a pattern of test_fabric_ubench.yaml; nothing if the name is unknown.
FabricPattern pattern_of(std::string_view name, const Machine& machine) {
    const auto& [machine_name, line, ring, mesh] = machine;
    if (name.starts_with("NeighborExchange")) {
        return {.shape = {1, line}, .flows = to_neighbours(line)};
    }
    if (name == "SingleSenderLinearUnicastAllDevices") {
        return {.shape = {1, line}, .flows = one_to_all(line)};
    }
    if (name == "UnidirLinearMulticast") {
        return to_all_on_the_way({.shape = {1, line}, .flows = to_both_ends(line)});
    }
    if (name == "LinearMulticast" || name.starts_with("CustomMaxPacketSizeLinear")) {
        return to_all_on_the_way({.shape = {1, line}, .flows = to_each_end(line)});
    }
    if (name == "FullRingUnicast") {
        return {.shape = {1, ring}, .topology = Topology::Ring, .flows = around(ring, ring - 1)};
    }
    if (name == "FullRingMulticast" || name == "HalfRingMulticast") {
        const std::uint32_t hops = name == "FullRingMulticast" ? ring - 1 : ring / 2;
        return to_all_on_the_way(
            {.shape = {1, ring}, .topology = Topology::Ring, .flows = around(ring, hops)});
    }
    // A multicast to all devices of a torus has the hops of a mesh (get_full_mcast_hops).
    if (name == "MeshMulticast" || name.starts_with("CustomMaxPacketSizeMesh")) {
        return box_to_all(mesh);
    }
    if (name == "TorusAllToAllMulticast") {
        FabricPattern pattern = box_to_all(mesh);
        pattern.topology = Topology::Torus;
        return pattern;
    }
    if (name == "SingleSenderMeshUnicastAllDevices") {
        return one_to_mesh(mesh);
    }
    return {};
}

}  // namespace

std::vector<std::uint32_t> receivers_of(const FabricFlow& flow, const FabricPattern& pattern) {
    const auto at = [&](std::uint32_t from, LinkRoute route) {
        return neighbour(pattern.shape, pattern.topology, from, route).value();
    };
    if (flow.cast == Cast::ToEnd) {
        return {at(at(flow.device, flow.route), flow.turn)};
    }
    std::vector<std::uint32_t> receivers;
    for (std::uint32_t hops = 1; hops <= flow.route.hops; ++hops) {
        const std::uint32_t device = at(flow.device, {flow.route.direction, hops});
        receivers.push_back(device);
        for (std::uint32_t east = 1; east <= flow.east; ++east) {
            receivers.push_back(at(device, {East, east}));
        }
        for (std::uint32_t west = 1; west <= flow.west; ++west) {
            receivers.push_back(at(device, {West, west}));
        }
    }
    return receivers;
}

FabricPattern edm_pattern(std::string_view name, const Parameters& parameters) {
    // Ring routers that carry streams of a line.
    constexpr std::array<std::string_view, 4> kLines{
        "Linear", "RingAsLinear", "Linear_all_rows_all_cols_mesh", "Linear_2x0_mesh"};
    constexpr std::array<std::string_view, 2> kRings{"FullRing", "FullRing_8x0_mesh"};
    const std::size_t cast = name.find('_');
    const std::string_view shape = name.substr(std::min(cast, name.size() - 1) + 1);
    const bool is_ring = std::ranges::find(kRings, shape) != kRings.end();
    expressible(is_ring || std::ranges::find(kLines, shape) != kLines.end(),
                "no program for the streams {}", name);
    const Parameters axis = of_first_axis(parameters);
    FabricPattern pattern = is_ring ? ring_pattern(axis) : line_pattern(axis);
    if (shape == "RingAsLinear") {
        pattern.topology = Topology::Ring;
    }
    return name.starts_with("mcast_") ? to_all_on_the_way(pattern) : pattern;
}

FabricPattern ubench_pattern(std::string_view name, const Parameters& parameters) {
    FabricPattern pattern = pattern_of(name, machine_of(parameters));
    expressible(!pattern.flows.empty(), "no program for the pattern {}", name);
    pattern.counted = most_on_a_link(pattern);
    return pattern;
}

}  // namespace tessera::score
