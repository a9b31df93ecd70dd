// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/reduce_scatter/algorithms.hpp"
#include "ops/reduce_scatter/kernels/args.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::reduce_scatter::direct {
namespace {

constexpr std::array kCbs{Cb::Send, Cb::Arrived, Cb::Sum};

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
    [[nodiscard]] const DeviceTensor& input() const {
        return context.device_inputs["input"_in][position];
    }
    [[nodiscard]] const DeviceTensor& output() const {
        return context.device_outputs[only(kOutputs)][position];
    }
};

/// Returns half of DST; the other half is packed meanwhile.
std::uint32_t chunk_tiles(const OpContext& context) {
    const bool is_fp32 = context.params<Schedule>().partial_sums == exchange::PartialSums::Fp32;
    return (is_fp32 ? context.arch.dst.tiles_32bit : context.arch.dst.tiles_16bit) / 2;
}

std::uint32_t slice_tiles(const OpContext& context) {
    return context.inputs["input"_in].spec.num_pages() /
           static_cast<std::uint32_t>(context.devices.size());
}

/// Returns the arrived tiles that a core holds. All slices of a share have space at once, so
/// senders need no credits.
std::uint32_t arrived_tiles(const OpContext& context) {
    const std::uint32_t chunk = chunk_tiles(context);
    const std::uint32_t links = context.params<Schedule>().links;
    const std::uint32_t share = div_up(slice_tiles(context), links);
    // A whole chunk for each device, since compute adds chunk by chunk and takes equal strides.
    return round_up(share, chunk) * static_cast<std::uint32_t>(context.devices.size());
}

std::uint32_t buffer_tiles(const OpContext& context, Cb cb) {
    // The other buffers have two chunks: one is filled while the other is used.
    return cb == Cb::Arrived ? arrived_tiles(context) : 2 * chunk_tiles(context);
}

/// Returns the peers in the shorter direction around a ring, forward if both are equal. The
/// farthest come first, because nothing is summed before all have arrived.
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

ShareArgs share_args(const Place& place, std::uint32_t link) {
    const std::uint32_t tiles = slice_tiles(place.context);
    // Links share each slice, so all links are busy from the first slice to the last.
    const auto [first, count] = lane_share(tiles, {place.schedule().links, 1}, link);
    return {.slice_tiles = tiles,
            .first = first,
            .count = count,
            .num_devices = place.line.devices,
            .position = place.position,
            .chunk = chunk_tiles(place.context)};
}

struct Parts {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
    std::uint32_t arrived;
    std::uint32_t started;
};

ReaderTensors reader_tensors(const Place& place) {
    return {.input = &place.input().buffer};
}

WriterTensors writer_tensors(const Place& place) {
    return {.output = &place.output().buffer};
}

Parts create_parts(Program& program, const Place& place, const CoreRangeSet& cores) {
    for (const Cb cb : kCbs) {
        add_circular_buffer(program, cores, cb, DataFormat::Float16_b,
                            {buffer_tiles(place.context, cb), tile_bytes(DataFormat::Float16_b)});
    }
    const bool is_fp32 = place.schedule().partial_sums == exchange::PartialSums::Fp32;
    // All devices' tiles are added in DST, so partial_sums is DST's format; L1 has bfloat16.
    return {CreateKernel(program, "ops/reduce_scatter/kernels/direct_reader.cpp", cores,
                         reader_config(NoArgs{}, reader_tensors(place))),
            CreateKernel(program, "ops/reduce_scatter/kernels/direct_compute.cpp", cores,
                         ComputeConfig{.fp32_dest_acc_en = is_fp32}),
            CreateKernel(program, "ops/reduce_scatter/kernels/direct_writer.cpp", cores,
                         writer_config(NoArgs{}, writer_tensors(place))),
            CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0)};
}

/// The slices that the reader brings in, and the routes on which the writer sends them.
struct PeerWords {
    std::vector<std::uint32_t> slices;
    std::vector<std::uint32_t> routes;
};

PeerWords peer_words(const std::vector<Peer>& peers) {
    // Both lists have the order of peers, since the writer sends what the reader brings in.
    PeerWords words;
    const auto append = [](std::vector<std::uint32_t>& list, const auto& args) {
        const std::vector<std::uint32_t> more = words_of(args);
        list.insert(list.end(), more.begin(), more.end());
    };
    for (const Peer& peer : peers) {
        append(words.slices, PeerSlice{.slice = peer.position});
        append(words.routes, PeerRoute{.slice = peer.position,
                                       .is_backward = peer.way == Way::Backward ? 1U : 0U,
                                       .hops = peer.hops});
    }
    return words;
}

/// Returns OutletArgs and, if devices are reached over it, the connection.
std::vector<std::uint32_t> outlet_words(Program& program, const Place& place, Way way,
                                        std::uint32_t link, const std::vector<Peer>& peers) {
    // Each direction has its own connection, hence a count of each.
    const OutletArgs outlet{
        .reach = static_cast<std::uint32_t>(std::ranges::count(peers, way, &Peer::way))};
    std::vector<std::uint32_t> words = words_of(outlet);
    if (outlet.reach != 0) {
        append_fabric_connection_rt_args(place.line.direction(way), link, program,
                                         core_of(place.context.arch, link), words);
    }
    return words;
}

void set_arguments(Program& program, const Parts& parts, const Place& place, std::uint32_t link) {
    const CoreCoord core = core_of(place.context.arch, link);
    const std::vector<Peer> peers = peers_of(place.line, place.position);
    const PeerWords words = peer_words(peers);
    const ShareArgs share = share_args(place, link);
    const std::vector<std::uint32_t> forward =
        outlet_words(program, place, Way::Forward, link, peers);
    const std::vector<std::uint32_t> backward =
        outlet_words(program, place, Way::Backward, link, peers);
    set_args(program, parts.reader, core, addresses_of(reader_tensors(place)),
             ReaderCore{.arrived_semaphore = parts.arrived}, share, words.slices);
    set_args(program, parts.compute, core, share);
    set_args(program, parts.writer, core, addresses_of(writer_tensors(place)),
             WriterCore{.arrived_semaphore = parts.arrived,
                        .started_semaphore = parts.started,
                        .packet_tiles = exchange::gather_tiles(
                            place.context.arch, {.packet_tiles = place.schedule().packet_tiles})},
             share, words.routes, forward, backward);
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

// Slices of all devices are in L1 at once, which limits the tensor. Larger tensors use algorithm
// line.
void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    judge_lanes(context.arch, {schedule.links, 1}, judge);
    std::uint64_t bytes = 0;
    for (const Cb cb : kCbs) {
        bytes += std::uint64_t{buffer_tiles(context, cb)} * tile_bytes(DataFormat::Float16_b);
    }
    judge.require(bytes <= buffer_room(context.arch), "input",
                  fmt::format("is {}; a core holds {} B of that with links {}, and has {} B of L1 "
                              "for them",
                              describe(context.inputs["input"_in].spec), bytes, schedule.links,
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
