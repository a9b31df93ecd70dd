// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/reduce_scatter/algorithms.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::reduce_scatter::direct {
namespace {

// Circular buffers, as the kernels number them (kernels/direct_share.hpp).
enum : std::uint8_t { kSend = 0, kArrived = 1, kSum = 2 };

/// A device as another one reaches it.
struct Peer {
    std::uint32_t position;
    Way way;
    std::uint32_t hops;
};

/// One device's part.
struct Place {
    const OpContext& context;
    MeshLine line;
    std::uint32_t position;

    [[nodiscard]] const Schedule& schedule() const { return context.params<Schedule>(); }
    [[nodiscard]] const DeviceTensor& input() const { return context.device_inputs[0][position]; }
    [[nodiscard]] const DeviceTensor& output() const { return context.device_outputs[0][position]; }
};

/// Half of DST, so that the other half is packed meanwhile.
std::uint32_t chunk_tiles(const OpContext& context) {
    const bool is_fp32 = context.params<Schedule>().partial_sums == exchange::PartialSums::Fp32;
    return (is_fp32 ? context.arch.dst.tiles_32bit : context.arch.dst.tiles_16bit) / 2;
}

std::uint32_t slice_tiles(const OpContext& context) {
    return context.inputs[0].spec.num_pages() / static_cast<std::uint32_t>(context.devices.size());
}

/// Tiles that a core holds of what arrives.
std::uint32_t arrived_tiles(const OpContext& context) {
    const std::uint32_t chunk = chunk_tiles(context);
    const std::uint32_t links = context.params<Schedule>().links;
    const std::uint32_t share = div_up(slice_tiles(context), links);
    return round_up(share, chunk) * static_cast<std::uint32_t>(context.devices.size());
}

std::uint32_t buffer_tiles(const OpContext& context, std::uint8_t index) {
    return index == kArrived ? arrived_tiles(context) : 2 * chunk_tiles(context);
}

/// The shorter way round a ring, forward where both are as short. The farthest come first, since
/// nothing is summed before all have arrived.
/// Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl/reduce_scatter_minimal_direct.
std::vector<Peer> peers_of(const MeshLine& line, std::uint32_t position) {
    std::vector<Peer> peers;
    for (std::uint32_t other = 0; other < line.devices; ++other) {
        const std::uint32_t ahead = (other + line.devices - position) % line.devices;
        const bool is_forward = line.is_ring ? ahead <= line.devices - ahead : other > position;
        if (other != position) {
            peers.push_back({other, is_forward ? Way::Forward : Way::Backward,
                             is_forward     ? ahead
                             : line.is_ring ? line.devices - ahead
                                            : position - other});
        }
    }
    std::ranges::stable_sort(peers, std::greater<>(), &Peer::hops);
    return peers;
}

CoreCoord core_of(const ArchSpec& arch, std::uint32_t link) {
    return line_core(arch, link, Way::Forward);
}

std::vector<std::uint32_t> share_args(const Place& place, std::uint32_t link) {
    const std::uint32_t tiles = slice_tiles(place.context);
    const auto [first, count] = lane_share(tiles, {place.schedule().links, 1}, link);
    return {tiles, first, count, place.line.devices, place.position, chunk_tiles(place.context)};
}

void append(std::vector<std::uint32_t>& args, const std::vector<std::uint32_t>& more) {
    args.insert(args.end(), more.begin(), more.end());
}

struct Parts {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
    std::uint32_t arrived;
    std::uint32_t started;
};

Parts create_parts(Program& program, const Place& place, const CoreRangeSet& cores) {
    const std::uint32_t page = tile_bytes(DataFormat::Float16_b);
    for (const std::uint8_t index : {kSend, kArrived, kSum}) {
        CreateCircularBuffer(program, cores,
                             CircularBufferConfig(buffer_tiles(place.context, index) * page,
                                                  {{index, DataFormat::Float16_b}})
                                 .set_page_size(index, page));
    }
    std::vector<std::uint32_t> reader;
    std::vector<std::uint32_t> writer;
    TensorAccessorArgs(place.input().buffer).append_to(reader);
    TensorAccessorArgs(place.output().buffer).append_to(writer);
    const bool is_fp32 = place.schedule().partial_sums == exchange::PartialSums::Fp32;
    return {CreateKernel(program, "ops/reduce_scatter/kernels/direct_reader.cpp", cores,
                         ReaderDataMovementConfig(reader)),
            CreateKernel(program, "ops/reduce_scatter/kernels/direct_compute.cpp", cores,
                         ComputeConfig{.fp32_dest_acc_en = is_fp32}),
            CreateKernel(program, "ops/reduce_scatter/kernels/direct_writer.cpp", cores,
                         WriterDataMovementConfig(writer)),
            CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0)};
}

void append_outlet(Program& program, const Place& place, Way way, std::uint32_t link,
                   const std::vector<Peer>& peers, std::vector<std::uint32_t>& args) {
    const auto reached = static_cast<std::uint32_t>(std::ranges::count(peers, way, &Peer::way));
    args.push_back(reached);
    if (reached != 0) {
        append_fabric_connection_rt_args(place.line.direction(way), link, program,
                                         core_of(place.context.arch, link), args);
    }
}

void set_arguments(Program& program, const Parts& parts, const Place& place, std::uint32_t link) {
    const CoreCoord core = core_of(place.context.arch, link);
    const std::vector<Peer> peers = peers_of(place.line, place.position);
    const std::vector<std::uint32_t> share = share_args(place, link);
    std::vector<std::uint32_t> reader{place.input().buffer.address, parts.arrived};
    std::vector<std::uint32_t> writer{
        place.output().buffer.address, parts.arrived, parts.started,
        exchange::gather_tiles(place.context.arch,
                               {.packet_tiles = place.schedule().packet_tiles})};
    append(reader, share);
    append(writer, share);
    for (const Peer& peer : peers) {
        reader.push_back(peer.position);
        append(writer, {peer.position, peer.way == Way::Backward ? 1U : 0U, peer.hops});
    }
    for (const Way way : {Way::Forward, Way::Backward}) {
        append_outlet(program, place, way, link, peers, writer);
    }
    SetRuntimeArgs(program, parts.reader, core, reader);
    SetRuntimeArgs(program, parts.compute, core, share);
    SetRuntimeArgs(program, parts.writer, core, writer);
}

Program make_program(const Place& place) {
    std::vector<CoreRange> ranges;
    for (std::uint32_t link = 0; link < place.schedule().links; ++link) {
        ranges.emplace_back(core_of(place.context.arch, link));
    }
    Program program = CreateProgram();
    const Parts parts = create_parts(program, place, CoreRangeSet(ranges));
    for (std::uint32_t link = 0; link < place.schedule().links; ++link) {
        set_arguments(program, parts, place, link);
    }
    return program;
}

}  // namespace

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    judge_lanes(context.arch, {schedule.links, 1}, judge);
    std::uint64_t bytes = 0;
    for (const std::uint8_t index : {kSend, kArrived, kSum}) {
        bytes += std::uint64_t{buffer_tiles(context, index)} * tile_bytes(DataFormat::Float16_b);
    }
    judge.require(bytes <= buffer_room(context.arch), "input",
                  fmt::format("is {}; a core holds {} B of that with links {}, and has {} B of L1 "
                              "for them",
                              describe(context.inputs[0].spec), bytes, schedule.links,
                              buffer_room(context.arch)));
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const MeshLine line = mesh_line(context.mesh);
    std::vector<DeviceProgram> all;
    for (std::uint32_t position = 0; position < line.devices; ++position) {
        all.push_back({position, make_program({context, line, position})});
    }
    return all;
}

}  // namespace tessera::ops::reduce_scatter::direct
