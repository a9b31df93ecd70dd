// SPDX-License-Identifier: Apache-2.0
// Collectives over a row of devices: all-gather, reduce-scatter, all-reduce (both in sequence), and
// all-to-all.
// Source   tt-metal tech_reports/CCLs/CCL_bandwidth.md: message_bytes is a device's gathered tensor
//          (for reduce-scatter: its tensor before the reduction).
#include "bench/accuracy/programs/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "emu/base/round_up.hpp"
#include "ops/all_gather/all_gather.hpp"
#include "ops/all_to_all/all_to_all.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"

namespace tessera::score {
namespace {

/// Slices longer than this many packets are extrapolated from two shorter ones. Links are busy all
/// the time at this length, so time grows linearly with the number of packets.
constexpr std::uint64_t kMostPackets = 2048;

std::uint32_t num_devices(const Collective& collective) {
    return collective.mesh.shape.num_devices();
}

/// Number of cores that share a link, by the bytes that pass it.
/// Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl, default_workers of
///          all_gather_async and reduce_scatter_minimal_async.
struct WorkerThresholds {
    double two = 0;  ///< bytes above which two cores share a link
    double four = 0;
    double eight = 0;
};
constexpr double kNever = 1e300;
constexpr WorkerThresholds kGatherWorkers{4096, 262144, kNever};
constexpr WorkerThresholds kScatterWorkersLine{4096, 500000, 4000000};
constexpr WorkerThresholds kScatterWorkersRing{4096, 1048576, 52428800};

std::uint32_t workers_for(std::uint64_t message, const Collective& collective,
                          const WorkerThresholds& thresholds) {
    const double devices = num_devices(collective);
    const double ways = collective.mesh.topology == Topology::Ring ? 2 : 1;
    const double bytes =
        static_cast<double>(message) * (devices - 1) / devices / collective.links / ways;
    return bytes > thresholds.eight  ? 8
           : bytes > thresholds.four ? 4
           : bytes > thresholds.two  ? 2
                                     : 1;
}

Collective collective_of(const Row& row, const Parameters& parameters, const Model& model) {
    const bool is_ring = row.workload.ends_with(" ring");
    expressible(is_ring || row.workload.ends_with(" line"), "workload {}: neither line nor ring",
                row.workload);
    const std::string memory = parameters.text_or("memory", "DRAM");
    expressible(memory == "DRAM" || memory == "L1", "memory is {}, not DRAM or L1", memory);
    expressible(parameters.format("dtype") == DataFormat::Float16_b, "dtype is not bfloat16");
    const std::uint32_t devices = parameters.count("devices");
    expressible(devices >= 2, "a collective of {} device", devices);
    return {.mesh = {.shape = {1, devices},
                     .topology = is_ring ? Topology::Ring : Topology::Line,
                     .device = model.arch.name},
            .links = parameters.count("links_per_dir"),
            .memory = memory == "DRAM" ? BufferType::DRAM : BufferType::L1};
}

std::vector<DeviceTensor> allocate(Bench& bench, const char* name, const TensorSpec& spec,
                                   const Collective& collective) {
    std::vector<DeviceTensor> tensors;
    for (std::uint32_t device = 0; device < num_devices(collective); ++device) {
        tensors.push_back(bench.session().allocate(device, name, spec, collective.memory));
    }
    return tensors;
}

/// Schedule of the measured ring. A core reads packet by packet, up to three ahead of its writer.
/// It signals the next device after its share of a slice, or after 160 packets of it.
/// Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl/all_gather_async, default factory.
ops::all_gather::Schedule ring_schedule(const Collective& collective, std::uint64_t packets) {
    constexpr std::uint64_t kMostPacketsPerSync = 160;
    const std::uint64_t lanes = std::uint64_t{collective.links} * collective.workers;
    const std::uint64_t share = std::clamp<std::uint64_t>(packets / lanes, 1, kMostPacketsPerSync);
    return {.links = collective.links,
            .workers = collective.workers,
            .sync_pages = static_cast<std::uint32_t>(share),
            .batch_pages = 1,
            .cb_depth = 3,
            // Stated, since the op chooses among algorithms by default.
            .algorithm = ops::all_gather::Algorithm::Pages};
}

/// Schedule of the measured line: routers forward a packet past all devices. The kernel's source
/// reads ahead, but two Wormholes would then gather in 664 ns a packet; measured are 966 ns.
/// Without reading ahead the prediction is 900 ns. The cause of the remaining time is unknown, so
/// the model reads between two sends as a substitute.
/// Source   tt-metal tech_reports/CCLs/CCL_bandwidth.md, "Interpreting the curve", and
///          ttnn/cpp/ttnn/operations/ccl/all_gather/device/all_gather_multicast_factory.cpp.
ops::all_gather::Schedule line_schedule(const Collective& collective, std::uint32_t packet_tiles) {
    return {.links = collective.links,
            .batch_pages = packet_tiles,
            .cb_depth = 3,
            .read_ahead = false,
            .algorithm = ops::all_gather::Algorithm::Multicast,
            .packet_tiles = packet_tiles};
}

/// Schedule of the measured line whose devices relay slices. A core reads packet by packet, one
/// ahead of its writer, and signals the next device twice per slice.
/// Source   as line_schedule, but all_gather_unicast_factory.cpp.
ops::all_gather::Schedule relay_schedule(const Collective& collective, std::uint64_t packets) {
    const std::uint64_t lanes = std::uint64_t{collective.links} * collective.workers;
    constexpr std::uint64_t kMostPerSignal = 1024;  // limit of the op
    const std::uint64_t half = std::clamp<std::uint64_t>(packets / lanes / 2, 1, kMostPerSignal);
    return {.links = collective.links,
            .workers = collective.workers,
            .sync_pages = static_cast<std::uint32_t>(half),
            .batch_pages = 1,
            .cb_depth = 2,
            // Stated, since the op chooses among algorithms by default.
            .algorithm = ops::all_gather::Algorithm::Pages};
}

/// Number of cores that share a link when devices relay slices.
/// Source   as relay_schedule.
std::uint32_t relay_workers(std::uint64_t slice, const Collective& collective) {
    constexpr std::uint64_t kKiB = 1024;
    const std::uint64_t bytes = slice / collective.links * num_devices(collective);
    return bytes < 640 * kKiB ? 1 : bytes < 3072 * kKiB ? 2 : 3;
}

/// Returns the cycles of an all-gather in which each device has one slice.
Prediction gather_cycles(const Model& model, const Collective& collective, const TensorSpec& slice,
                         const ops::all_gather::Schedule& schedule) {
    Bench bench(model, collective.mesh);
    const auto inputs = allocate(bench, "input", slice, collective);
    TensorSpec whole = slice;
    whole.shape[0] *= num_devices(collective);
    const auto outputs = allocate(bench, "output", whole, collective);
    return bench
        .run(ops::call_programs(ops::all_gather::op(), model.arch, collective.mesh,
                                {&schedule, {inputs}, {outputs}}))
        .kernel_span_cycles();
}

/// Returns a tensor of `tiles` tiles in one column.
TensorSpec tile_column(std::uint64_t tiles, DataFormat format = DataFormat::Float16_b) {
    return {{static_cast<std::uint32_t>(tiles) * kTileSide, kTileSide}, format, Layout::TILE};
}

/// Tiles per packet.
/// Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl/reduce_scatter_minimal_async:
///          messages of two parts.
constexpr std::uint32_t kScatterPacketTiles = 2;

/// Limit of the measured ring's direct algorithm. Up to this many bytes per device go directly to
/// the core that sums them. Larger tensors send half of each slice in each direction. Sums are
/// bfloat16.
/// Source   github.com/tenstorrent/tt-metal/pull/51741.
constexpr std::uint64_t kMostDirectBytes = 512 * 1024;

ops::reduce_scatter::Schedule ring_scatter_schedule(const Collective& collective,
                                                    std::uint64_t message,
                                                    std::uint32_t packet_tiles) {
    using enum ops::reduce_scatter::Algorithm;
    const bool is_direct = message <= kMostDirectBytes;
    return {.links = collective.links,
            .algorithm = is_direct ? Direct : Bidirectional,
            .packet_tiles = is_direct ? packet_tiles : kScatterPacketTiles};
}

Prediction scatter_ring_cycles(const Model& model, const Collective& collective,
                               std::uint64_t tiles, const ops::reduce_scatter::Schedule& schedule) {
    Bench bench(model, collective.mesh);
    const std::uint32_t devices = num_devices(collective);
    const TensorSpec slice = tile_column(tiles);
    TensorSpec spec = slice;
    spec.shape[0] *= devices;
    const auto inputs = allocate(bench, "input", spec, collective);
    const auto outputs = allocate(bench, "output", slice, collective);
    return bench
        .run(ops::call_programs(ops::reduce_scatter::op(), model.arch, collective.mesh,
                                {&schedule, {inputs}, {outputs}}))
        .kernel_span_cycles();
}

/// Schedule of the measured line: three chunks in a CB, and no core sends before all devices run.
/// Source   as kScatterPacketTiles, line_reduce_scatter_minimal_async_writer.cpp.
ops::reduce_scatter::Schedule line_scatter_schedule(const Collective& collective) {
    return {.links = collective.links,
            .workers = collective.workers,
            .cb_depth = 3,
            .packet_tiles = kScatterPacketTiles,
            .start = ops::reduce_scatter::Start::All};
}

/// Returns the cycles of a reduce-scatter whose slices have `tiles` tiles per device.
Prediction scatter_cycles(const Model& model, const Collective& collective, std::uint64_t tiles) {
    Bench bench(model, collective.mesh);
    const TensorSpec slice = tile_column(tiles);
    TensorSpec spec = slice;
    spec.shape[0] *= num_devices(collective);
    const auto inputs = allocate(bench, "input", spec, collective);
    const auto forward = allocate(bench, "forward", spec, collective);
    const auto backward = allocate(bench, "backward", spec, collective);
    const auto outputs = allocate(bench, "output", slice, collective);
    const ops::reduce_scatter::Schedule schedule = line_scatter_schedule(collective);
    return bench
        .run(ops::call_programs(ops::reduce_scatter::op(), model.arch, collective.mesh,
                                {&schedule, {inputs}, {outputs}, {forward, backward}}))
        .kernel_span_cycles();
}

/// Tiles per packet, even if more would fit.
/// Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl/all_to_all_async_generic,
///          number_pages_per_packet.
constexpr std::uint32_t kExchangePacketTiles = 2;

/// Returns the cycles if each device sends `packets` rows of `packet_bytes` to each other device.
Prediction exchange_cycles(const Model& model, const Collective& collective,
                           ops::all_to_all::Opposite opposite, std::uint64_t packets,
                           std::uint32_t packet_bytes) {
    Bench bench(model, collective.mesh);
    const std::uint32_t devices = num_devices(collective);
    const TensorSpec spec{
        {static_cast<std::uint32_t>(packets) * devices, packet_bytes / kElementBytes}};
    const auto inputs = allocate(bench, "input", spec, collective);
    const auto outputs = allocate(bench, "output", spec, collective);
    const ops::all_to_all::AllToAllSpec parameters{.links = collective.links, .opposite = opposite};
    return bench
        .run(ops::call_programs(ops::all_to_all::op(), model.arch, collective.mesh,
                                {&parameters, {inputs}, {outputs}}))
        .kernel_span_cycles();
}

/// Returns `cycles(packets)`; beyond `most` packets it extrapolates from `most / 2` and `most`.
template <class CyclesOf>
Prediction cycles_at(std::uint64_t packets, std::uint64_t most, const CyclesOf& cycles_of) {
    if (packets <= most) {
        return cycles_of(packets);
    }
    const std::uint64_t half = most / 2;
    return extended(cycles_of(half), cycles_of(most),
                    static_cast<double>(packets) / static_cast<double>(half));
}

std::uint32_t packet_tiles_of(const Parameters& parameters) {
    const std::uint32_t tiles =
        parameters.count("packet_bytes") / tile_bytes(DataFormat::Float16_b);
    expressible(tiles > 0, "packets of less than a tile");
    return tiles;
}

Prediction all_gather(const Parameters& parameters, const Model& model, Collective collective) {
    const std::uint64_t message = parameters.long_count("message_bytes");
    const std::uint64_t slice = message / num_devices(collective);
    const bool is_line = collective.mesh.topology == Topology::Line;
    const std::uint64_t relays_from = model.setup.gather_relays_from;
    if (is_line && (relays_from == 0 || message / collective.links < relays_from)) {
        return line_gather_cycles(model, collective,
                                  div_up(slice, tile_bytes(DataFormat::Float16_b)),
                                  {DataFormat::Float16_b, packet_tiles_of(parameters)});
    }
    collective.workers = is_line ? relay_workers(slice, collective)
                                 : workers_for(message, collective, kGatherWorkers);
    const auto packet = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(slice, parameters.count("packet_bytes")));
    expressible(packet > 0 && packet % kElementBytes == 0, "slices of {} bytes", slice);
    return cycles_at(div_up(slice, packet), kMostPackets, [&](std::uint64_t packets) {
        return gather_cycles(
            model, collective,
            TensorSpec{{static_cast<std::uint32_t>(packets), packet / kElementBytes}},
            is_line ? relay_schedule(collective, packets) : ring_schedule(collective, packets));
    });
}

Prediction reduce_scatter(const Parameters& parameters, const Model& model, Collective collective) {
    const std::uint64_t message = parameters.long_count("message_bytes");
    const std::uint64_t slice = message / num_devices(collective);
    const bool is_ring = collective.mesh.topology == Topology::Ring;
    collective.workers =
        workers_for(message, collective, is_ring ? kScatterWorkersRing : kScatterWorkersLine);
    const std::uint64_t all = div_up(slice, tile_bytes(DataFormat::Float16_b));
    const std::uint32_t packet_tiles = packet_tiles_of(parameters);
    return cycles_at(all, kMostPackets, [&](std::uint64_t tiles) {
        return is_ring
                   ? scatter_ring_cycles(model, collective, tiles,
                                         ring_scatter_schedule(collective, message, packet_tiles))
                   : scatter_cycles(model, collective, tiles);
    });
}

Model with_links_of_report(Model model) {
    if (const auto rate = model.setup.collective_link_rate) {
        for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
            timing->link.rate = *rate;
        }
    }
    return model;
}

Prediction sum(const Prediction& first, const Prediction& second) {
    return Prediction::combined(first, second, std::plus<>());
}

}  // namespace

Prediction line_gather_cycles(const Model& model, const Collective& collective, std::uint64_t tiles,
                              const TilePackets& packets) {
    return cycles_at(tiles, kMostPackets * packets.tiles, [&](std::uint64_t some) {
        return gather_cycles(model, collective, tile_column(some, packets.format),
                             line_schedule(collective, packets.tiles));
    });
}

Prediction part_exchange_cycles(const Model& model, const Collective& collective,
                                std::uint64_t part_bytes, ops::all_to_all::Opposite opposite) {
    // Each of eight parts takes its own route. This many packets of each part fill the links.
    constexpr std::uint64_t kMostOfAPart = kMostPackets / 8;
    const auto packet = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        part_bytes, kExchangePacketTiles * std::uint64_t{tile_bytes(DataFormat::Float16_b)}));
    expressible(packet > 0 && packet % kElementBytes == 0, "parts of {} bytes", part_bytes);
    return cycles_at(div_up(part_bytes, packet), kMostOfAPart, [&](std::uint64_t packets) {
        return exchange_cycles(model, collective, opposite, packets, packet);
    });
}

Prediction predict_collective(const Row& row, const Parameters& parameters, const Model& boards) {
    const Model model = with_links_of_report(boards);
    const Collective collective = collective_of(row, parameters, model);
    const std::string name = row.workload.substr(0, row.workload.rfind(' '));
    if (name == "all gather") {
        return as_time(row, all_gather(parameters, model, collective), model);
    }
    if (name == "reduce scatter") {
        return as_time(row, reduce_scatter(parameters, model, collective), model);
    }
    if (name == "all to all") {
        const std::uint64_t part = parameters.long_count("message_bytes") / num_devices(collective);
        // On a ring, the kernels of kExchangePacketTiles' source send the data for the opposite
        // device in one direction.
        using enum ops::all_to_all::Opposite;
        const bool is_ring = collective.mesh.topology == Topology::Ring;
        return as_time(row,
                       part_exchange_cycles(model, collective, part, is_ring ? Forward : EitherWay),
                       model);
    }
    expressible(name == "all reduce", "no program for {}", name);
    return as_time(row,
                   sum(reduce_scatter(parameters, model, collective),
                       all_gather(parameters, model, collective)),
                   model);
}

}  // namespace tessera::score
