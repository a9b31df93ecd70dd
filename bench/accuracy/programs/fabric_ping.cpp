// SPDX-License-Identifier: Apache-2.0
// Round trips over the fabric with one packet in flight.
// Source   tt-metal tests/tt_metal/tt_metal/perf_microbenchmark/routing (test_latency_*.yaml: the
//          responder is the sender's neighbour), and
//          tests/tt_metal/microbenchmarks/ethernet/test_1d_fabric_latency.py: to the last device of
//          a line and back, or once around a ring.
#include <algorithm>
#include <array>
#include <functional>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/fabric_args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kRoundTrips = 4;
constexpr const char* kPingZone = "ping";
constexpr const char* kTurnZone = "turn";

enum class End : std::uint8_t { Pings, Answers };

struct Ping {
    std::uint32_t hops = 0;  ///< in one direction
    std::uint32_t bytes = 0;
    bool goes_around = false;  ///< around a ring, back to the sender
    Topology topology = Topology::Line;
    std::uint32_t rows = 1;  ///< rows of devices; packets use mesh routes if there are several
};

/// Returns the target device of a mesh route; kNoMesh if the route is a number of hops.
std::uint32_t mesh_target(const Ping& ping, End end) {
    return ping.rows == 1 ? kNoMesh : end == End::Answers ? 0 : ping.hops;
}

/// Returns a mesh with the devices that a ping passes and those that its topology needs.
MeshSpec mesh_of(const Model& model, const Ping& ping) {
    constexpr std::uint32_t kShortestRing = 4;
    const std::uint32_t least =
        ping.topology == Topology::Ring && !ping.goes_around ? kShortestRing : 0;
    return {.shape = {ping.rows, std::max(ping.goes_around ? ping.hops : ping.hops + 1, least)},
            .topology = ping.topology,
            .device = model.arch.name};
}

/// Parses a row's "topology": fabrics with different routers.
Ping ping_over(const std::string& topology) {
    expressible(topology == "Linear" || topology == "Ring" || topology == "Mesh",
                "topology is {}, not Linear, Ring or Mesh", topology);
    return {.topology = topology == "Ring" ? Topology::Ring : Topology::Line,
            .rows = topology == "Mesh" ? 2U : 1U};
}

Program end_of(const ArchSpec& arch, const Ping& ping, End end) {
    Program program = CreateProgram();
    const std::uint32_t arrived = CreateSemaphore(program, kOnlyCore, 0);
    const std::uint32_t source = free_l1(arch);
    const auto kernel =
        CreateKernel(program, "bench/accuracy/kernels/fabric_ping.cpp", kOnlyCore,
                     ops::writer_config(FabricPingArgs{.answers = end == End::Answers ? 1U : 0U,
                                                       .hops = ping.hops,
                                                       .bytes = ping.bytes,
                                                       .source = source,
                                                       .destination = source + ping.bytes,
                                                       .arrived = arrived,
                                                       .count = kRoundTrips,
                                                       .device = mesh_target(ping, end)}));
    std::vector<std::uint32_t> args;
    append_fabric_connection_rt_args(
        end == End::Answers ? LinkDirection::West : LinkDirection::East, 0, program, kOnlyCore,
        args);
    SetRuntimeArgs(program, kernel, kOnlyCore, args);
    return program;
}

Replays run(const Model& model, const Ping& ping) {
    Bench bench(model, mesh_of(model, ping));
    std::vector<DeviceProgram> programs{{0, end_of(model.arch, ping, End::Pings)}};
    if (!ping.goes_around) {
        programs.push_back({ping.hops, end_of(model.arch, ping, End::Answers)});
    }
    return bench.run(programs);
}

/// Returns the time with a separate responder, without the responder's time from a packet's arrival
/// to its answer.
Prediction less_responder(const Parameters& parameters, const Model& model) {
    Ping ping = ping_over(parameters.text("topology"));
    ping.hops = parameters.count("responder");
    ping.bytes = parameters.count("payload");
    const Replays replays = run(model, ping);
    return Prediction::combined(replays.zone_cycles(kPingZone, Among::Mean),
                                replays.zone_cycles(kTurnZone, Among::Mean), std::minus<>());
}

Prediction loopback(const Parameters& parameters, const Model& model) {
    const std::string& topology = parameters.text("topology");
    expressible(topology == "line" || topology == "ring", "topology is {}, not line or ring",
                topology);
    const bool is_ring = topology == "ring";
    const std::uint32_t hops = parameters.count("hops");
    expressible(is_ring || hops % 2 == 0, "{} hops there and back", hops);
    return run(model, {.hops = is_ring ? hops : hops / 2,
                       .bytes = parameters.count("payload"),
                       .goes_around = is_ring,
                       .topology = is_ring ? Topology::Ring : Topology::Line})
        .zone_cycles(kPingZone, Among::Mean);
}

}  // namespace

Prediction predict_fabric_latency(const Row& row, const Parameters& parameters,
                                  const Model& model) {
    if (row.workload.starts_with("1D fabric round trip")) {
        return as_time(row, loopback(parameters, model), model);
    }
    expressible(row.workload.starts_with("fabric ping "), "workload {}: not a ping", row.workload);
    return as_time(row, less_responder(parameters, model), model);
}

}  // namespace tessera::score
