// SPDX-License-Identifier: Apache-2.0
// Streams of packets through a mux with one worker per channel.
//
// The measured mux sends to a "drainer", a core that only counts packets, in place of a router. The
// model uses an unlimited link for it. The figure is the bytes that all workers send, including
// headers of 64 bytes, over the time of the slowest worker. Workers fill the grid column by column
// from the second column.
// Source   tt-metal tests/tt_metal/tt_metal/perf_microbenchmark/routing/
//          test_tt_fabric_mux_bandwidth.cpp.
#include "tessera/fabric_mux.hpp"

#include <functional>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/fabric_args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

using enum FabricMuxChannelType;

/// Packets per worker: several times the capacity of a channel.
constexpr std::uint32_t kPackets = 96;
constexpr std::uint32_t kHeader = 64;
constexpr std::uint32_t kDrainerBuffers = 16;
constexpr CoreCoord kMux{0, 0};

struct Channels {
    std::uint32_t full_size = 0;
    std::uint32_t header_only = 0;
    std::uint32_t buffers_full_size = 0;
    std::uint32_t buffers_header_only = 0;
    std::uint32_t bytes = 0;  ///< payload bytes in a full-size channel

    [[nodiscard]] std::uint32_t count() const { return full_size + header_only; }
};

Channels channels_of(const Parameters& parameters) {
    const Channels channels{.full_size = parameters.count("full_channels"),
                            .header_only = parameters.count("header_channels"),
                            .buffers_full_size = parameters.count("buffers_full"),
                            .buffers_header_only = parameters.count("buffers_header"),
                            .bytes = parameters.count("bytes_per_packet")};
    expressible(parameters.count("iters_full") == 1,
                "full-size channels are looked into more often than the others");
    expressible(channels.count() != 0, "a mux without a channel");
    return channels;
}

void without_limits(LinkTiming& link) {
    link.rate = BytesPerSecond{1e18};
    for (Seconds* time :
         {&link.hop_latency, &link.packet_slot, &link.receive_slot, &link.deliver_slot,
          &link.command_slot, &link.part_slot, &link.flush_slot, &link.acknowledgement}) {
        *time = Seconds{0};
    }
    link.sender_slots = kDrainerBuffers;
}

Model with_drainer(Model model) {
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        without_limits(timing->link);
    }
    return model;
}

FabricMuxConfig mux_of(const ArchSpec& arch, const Channels& channels) {
    const auto byte = [](std::uint32_t count) { return static_cast<std::uint8_t>(count); };
    return {byte(channels.full_size),         byte(channels.header_only),
            byte(channels.buffers_full_size), byte(channels.buffers_header_only),
            kHeader + channels.bytes,         free_l1(arch)};
}

CoreCoord worker_of(const ArchSpec& arch, std::uint32_t index) {
    const std::uint32_t rows = arch.workers.compute.rows;
    const CoreCoord core{1 + index / rows, index % rows};
    check_core(arch, core);
    return core;
}

void add_mux(Program& program, const FabricMuxConfig& mux, const MeshSpec& mesh) {
    const auto kernel =
        CreateKernel(program, kFabricMuxKernel, kMux,
                     WriterDataMovementConfig(mux.get_fabric_mux_compile_time_args()));
    SetRuntimeArgs(program, kernel, kMux,
                   mux.get_fabric_mux_run_time_args(mesh, 0, 1, 0, program, kMux));
}

void add_worker(Program& program, const ArchSpec& arch, const Channels& channels,
                const FabricMuxConfig& mux, std::uint32_t index, std::uint32_t packets) {
    const CoreCoord core = worker_of(arch, index);
    const CoreCoord mux_at = noc_coordinate(arch, kMux);
    const CoreCoord first = noc_coordinate(arch, worker_of(arch, 0));
    const std::uint32_t counter = CreateSemaphore(program, core, 0);
    const std::uint32_t done = CreateSemaphore(program, core, 0);
    const auto termination = static_cast<std::uint32_t>(mux.get_termination_signal_address());
    const auto kernel =
        CreateKernel(program, "bench/accuracy/kernels/fabric_mux_stream.cpp", core,
                     ops::writer_config(FabricMuxStreamArgs{.mux_x = mux_at.x,
                                                            .mux_y = mux_at.y,
                                                            .termination_address = termination,
                                                            .packets = packets,
                                                            .source = free_l1(arch),
                                                            .first_x = first.x,
                                                            .first_y = first.y,
                                                            .num_others = channels.count() - 1,
                                                            .counter = counter,
                                                            .done = done}));
    const bool is_full_size = index < channels.full_size;
    const auto type = is_full_size ? FULL_SIZE_CHANNEL : HEADER_ONLY_CHANNEL;
    const auto channel =
        static_cast<std::uint8_t>(is_full_size ? index : index - channels.full_size);
    ops::set_args(
        program, kernel, core,
        FabricMuxChannel{
            .channel = index,
            .buffers = mux.get_num_buffers(type),
            .buffer_bytes = static_cast<std::uint32_t>(mux.get_buffer_size_bytes(type)),
            .base_address = static_cast<std::uint32_t>(mux.get_channel_base_address(type, channel)),
            .payload_bytes = is_full_size ? channels.bytes : 0});
}

Prediction span_of(const Model& model, const Channels& channels, std::uint32_t packets) {
    const MeshSpec mesh{.shape = {1, 2}, .topology = Topology::Line, .device = model.arch.name};
    const FabricMuxConfig mux = mux_of(model.arch, channels);
    std::vector<DeviceProgram> programs{{0, CreateProgram()}};
    add_mux(programs[0].program, mux, mesh);
    for (std::uint32_t index = 0; index < channels.count(); ++index) {
        add_worker(programs[0].program, model.arch, channels, mux, index, packets);
    }
    Bench bench(model, mesh);
    return bench.run(programs).kernel_span_cycles();
}

}  // namespace

Prediction predict_fabric_mux(const Row& row, const Parameters& parameters, const Model& model) {
    const Channels channels = channels_of(parameters);
    const Model drained = with_drainer(model);
    const Prediction steady =
        Prediction::combined(span_of(drained, channels, 2 * kPackets),
                             span_of(drained, channels, kPackets), std::minus<>());
    const std::uint32_t bytes =
        channels.full_size * (channels.bytes + kHeader) + channels.header_only * kHeader;
    return as_bandwidth(row, double{kPackets} * bytes, steady, model);
}

}  // namespace tessera::score
