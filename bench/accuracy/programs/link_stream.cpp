// SPDX-License-Identifier: Apache-2.0
// Packets over one Ethernet link, sent by the Ethernet cores themselves.
// Source   tt-metal tests/tt_metal/microbenchmarks/ethernet.
#include <algorithm>
#include <functional>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

constexpr const char* kStreamZone = "stream";
constexpr std::uint64_t kZoneName = 2;
constexpr std::uint32_t kPackets = 512;
constexpr std::uint32_t kDevices = 2;

MeshSpec two_devices(const ArchSpec& arch) {
    return {.shape = {1, kDevices}, .topology = Topology::Line, .device = arch.name};
}

enum class Receiver : std::uint8_t { Keeps, WritesToWorker };

/// The Ethernet core's own issue is what the link's packet slot stands for. A receiver that keeps
/// what it gets is done with a packet as one that passes it on.
Model sent_by_links(Model model, Receiver receiver, std::uint16_t num_senders) {
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        timing->link.worker_issue = Cycles{0};
        timing->link.packet_slot = timing->link.core_send;
        timing->link.receive_slot = timing->link.core_receive;
        timing->link.deliver_slot = timing->link.core_deliver;
        timing->link.router_processors = 1;
        timing->link.receiver_slots = kPackets;
        Seconds& sends = timing->link.packet_slot;
        Seconds& delivers = timing->link.deliver_slot;
        if (receiver == Receiver::Keeps) {
            delivers = timing->link.receive_slot;
        } else if (num_senders == 1) {
            sends = std::max(sends, delivers);  // it has no more packets in flight than buffers
        }
    }
    return model;
}

/// A core of `device` that sends packets to the other device and waits until the last has left.
CoreTrace sender(std::uint16_t device, std::uint32_t packets, std::uint32_t bytes) {
    const auto channel =
        static_cast<std::uint8_t>(device == 0 ? LinkDirection::East : LinkDirection::West);
    const FabricArgument argument{.device = static_cast<std::uint16_t>(kDevices - 1 - device),
                                  .place = NocPlace::worker({0, 0}),
                                  .hops = 1};
    ThreadTrace thread{.processor = Processor::Riscv0, .kernel = 1, .sites = {{}}};
    const auto add = [&](EventKind kind, std::uint32_t count, std::uint64_t value) {
        thread.events.push_back(
            {.kind = kind, .detail = channel, .count = count, .argument = value});
    };
    add(EventKind::FabricOpen, 1, 0);
    thread.events.push_back({.kind = EventKind::ZoneBegin, .argument = kZoneName});
    for (std::uint32_t i = 0; i < packets; ++i) {
        add(EventKind::FabricSlot, 1, 0);
        add(EventKind::FabricPacket, bytes, argument.pack());
    }
    thread.events.push_back({.kind = EventKind::ZoneEnd, .argument = kZoneName});
    add(EventKind::FabricClose, 1, 0);
    return CoreTrace{.device = device, .threads = {std::move(thread)}};
}

Trace stream(const ArchSpec& arch, std::uint32_t packets, std::uint32_t bytes,
             std::uint16_t senders) {
    LaunchTrace launch{.name = "row"};
    for (std::uint16_t device = 0; device < senders; ++device) {
        launch.dispatch.push_back({.device = device, .kernels = 1, .cores = 1, .threads = 1});
        launch.cores.push_back(sender(device, packets, bytes));
    }
    Trace trace{.arch = arch.name,
                .mesh = two_devices(arch),
                .names = {"", "stream of packets", kStreamZone}};
    trace.launches.push_back(std::move(launch));
    return trace;
}

Prediction stream_cycles(const Model& model, std::uint32_t packets, std::uint32_t bytes,
                         std::uint16_t senders) {
    const Trace trace = stream(model.arch, packets, bytes, senders);
    return replay_all(trace, trace.launches.front(), model, two_devices(model.arch))
        .zone_cycles(kStreamZone, Among::Longest);
}

/// One packet there and back, timed where it left first: on the wire twice, as its sender has to
/// have all of it to send it back.
Prediction echo_time(const Row& row, const Parameters& parameters, const Model& model) {
    const double bytes = parameters.count("bytes_per_packet");
    const auto cycles = [&](const TimingSpec& timing) {
        const double seconds = timing.link.core_latency.value + bytes / timing.link.rate.value;
        return 2 * seconds * timing.clock.value;
    };
    const double one = cycles(model.timing.low);
    const double other = cycles(model.timing.high);
    return as_time(row, {std::min(one, other), cycles(model.timing.expected), std::max(one, other)},
                   model);
}

/// Packets one behind the other, by one sender or by both ends.
Prediction stream_rate(const Row& row, const Parameters& parameters, const Model& model) {
    const std::uint32_t bytes = parameters.count("bytes_per_packet");
    const std::uint16_t senders = parameters.flag_or("bidirectional", false) ? 2 : 1;
    const Receiver receiver = parameters.flag_or("receiver_writes_worker", false)
                                  ? Receiver::WritesToWorker
                                  : Receiver::Keeps;
    const Model link = sent_by_links(model, receiver, senders);
    // What a stream takes beside its packets cancels out between one and one twice as long.
    const Prediction once = stream_cycles(link, kPackets, bytes, senders);
    const Prediction twice = stream_cycles(link, 2 * kPackets, bytes, senders);
    const Prediction steady = Prediction::combined(twice, once, std::minus<>());
    return as_bandwidth(row, double{kPackets} * bytes, steady, model);
}

}  // namespace

Prediction predict_link_stream(const Row& row, const Parameters& parameters, const Model& model) {
    if (row.workload.starts_with("Ethernet link sender latency")) {
        expressible(parameters.count_or("packets", 1) == 1, "the latency of {} packets",
                    parameters.text("packets"));
        return echo_time(row, parameters, model);
    }
    expressible(row.workload.starts_with("Ethernet link stream"),
                "workload {}: neither a stream nor the latency of one packet", row.workload);
    return stream_rate(row, parameters, model);
}

}  // namespace tessera::score
