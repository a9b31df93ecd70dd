// SPDX-License-Identifier: Apache-2.0
// Streams of packets over the fabric, sent by workers of several devices at once.
//
// A row's bandwidth is the payload that crosses the busiest link in one direction, over the time of
// the slowest device.
// Source   tt-metal process_results of test_fabric_edm_bandwidth.py. test_fabric counts the flows
//          on the busiest link in the same way, as a row's packets and cycles show.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/fabric_args.hpp"
#include "bench/accuracy/programs/fabric_pattern.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::score {
namespace {

/// Packets per flow: several times the capacity of a sender's buffer.
constexpr std::uint32_t kPackets = 96;
/// Counters of packets and of ended streams: the first semaphores of each core.
constexpr std::uint32_t kDone = 0;
constexpr std::uint32_t kCounter = 1;

struct Stream {
    std::uint32_t bytes = 0;
    Message message = Message::Write;
    std::uint32_t links = 1;
};

Message message_of(const std::string& name) {
    constexpr std::array<std::pair<std::string_view, Message>, 9> kMessages{
        {{"noc_unicast_write", Message::Write},
         {"NOC_UNICAST_WRITE", Message::Write},
         {"noc_fused_unicast_write_flush_atomic_inc", Message::FlushedAdd},
         {"NOC_FUSED_UNICAST_ATOMIC_INC", Message::FlushedAdd},
         {"noc_fused_unicast_write_no_flush_atomic_inc", Message::Add},
         {"noc_unicast_flush_atomic_inc", Message::FlushedAddAlone},
         {"noc_unicast_no_flush_atomic_inc", Message::AddAlone},
         {"noc_unicast_scatter_write", Message::TwoParts},
         {"NOC_UNICAST_SCATTER_WRITE", Message::TwoParts}}};
    const auto* const found =
        std::ranges::find(kMessages, name, &std::pair<std::string_view, Message>::first);
    expressible(found != kMessages.end(), "no program for messages {}", name);
    return found->second;
}

/// Returns the number of sent packets per counted packet: the measured kernel's function for
/// additions contains a second loop.
/// Source   tt-metal tests/ttnn/unit_tests/gtests/ccl/kernels/edm_fabric_writer.cpp.
std::uint32_t sent_for_each(Message message) {
    return message == Message::FlushedAddAlone || message == Message::AddAlone ? 2 : 1;
}

/// Runtime arguments of a sending core, in the order of bench/accuracy/kernels/fabric_stream.cpp.
class SenderArgs {
public:
    void add(LinkDirection way, std::vector<std::uint32_t> route) {
        constexpr std::size_t kRouteArgs = 1 + kMostRouteArgs;  // its kind first
        auto found = std::ranges::find(ways_, way);
        if (found == ways_.end()) {
            found = ways_.insert(ways_.end(), way);
        }
        flows_.push_back(static_cast<std::uint32_t>(found - ways_.begin()));
        route.resize(kRouteArgs);
        flows_.insert(flows_.end(), route.begin(), route.end());
        ++num_flows_;
    }
    [[nodiscard]] std::vector<std::uint32_t> over(std::uint32_t link, Program& program,
                                                  CoreCoord core) const {
        std::vector<std::uint32_t> args{static_cast<std::uint32_t>(ways_.size())};
        for (const LinkDirection way : ways_) {
            append_fabric_connection_rt_args(way, link, program, core, args);
        }
        args.push_back(num_flows_);
        args.insert(args.end(), flows_.begin(), flows_.end());
        return args;
    }

private:
    std::vector<LinkDirection> ways_;
    std::vector<std::uint32_t> flows_;
    std::uint32_t num_flows_ = 0;
};

/// One program per device, extended core by core.
class Programs {
public:
    Programs(const ArchSpec& arch, const FabricPattern& pattern, const Stream& stream)
        : arch_(arch),
          stream_(stream),
          num_cores_(pattern.shape.num_devices()),
          streams_at_(pattern.shape.num_devices()) {
        for (std::uint32_t device = 0; device < pattern.shape.num_devices(); ++device) {
            programs_.push_back({device, CreateProgram()});
        }
    }

    /// Adds the core that sends all flows of a device over one of the links to each neighbour. It
    /// sends one packet of each flow in turn.
    /// Source   tt-metal tests/tt_metal/tt_metal/perf_microbenchmark/routing:
    ///          add_senders_from_pairs, and kernels/tt_fabric_test_sender.cpp. The worker of
    ///          edm_fabric_writer.cpp also sends in both directions.
    void add_sender(std::span<const FabricFlow* const> flows, std::uint32_t link,
                    std::uint32_t packets, const FabricPattern& pattern) {
        expressible(flows.size() <= kMostFlows, "{} flows of a device, allowed: up to {}",
                    flows.size(), kMostFlows);
        const std::uint32_t device = flows.front()->device;
        const CoreCoord core = core_of(num_cores_[device]++);
        check_core(arch_, core);
        Program& program = programs_[device].program;
        add_counters(program, device, core);
        const std::uint32_t source = free_l1(arch_);
        const auto kernel = CreateKernel(program, "bench/accuracy/kernels/fabric_stream.cpp", core,
                                         ops::writer_config(FabricStreamArgs{
                                             .source = source,
                                             .destination = source + stream_.bytes,
                                             .bytes = stream_.bytes,
                                             .count = packets * sent_for_each(stream_.message),
                                             .message = static_cast<std::uint32_t>(stream_.message),
                                             .done = kDone,
                                             .counter = kCounter}));
        SenderArgs args;
        for (const FabricFlow* flow : flows) {
            const std::vector<std::uint32_t> receivers = receivers_of(*flow, pattern);
            for (const std::uint32_t receiver : receivers) {
                ++streams_at_[receiver][core];
            }
            args.add(flow->route.direction, route_args(*flow, receivers.back(), pattern));
        }
        SetRuntimeArgs(program, kernel, core, args.over(link, program, core));
    }

    /// Makes each receiving core wait for the ends of its streams.
    void add_sinks() {
        for (std::uint32_t device = 0; device < programs_.size(); ++device) {
            for (const auto& [core, streams] : streams_at_[device]) {
                Program& program = programs_[device].program;
                add_counters(program, device, core);
                const auto kernel =
                    CreateKernel(program, "bench/accuracy/kernels/fabric_sink.cpp", core,
                                 ops::reader_config(FabricSinkArgs{.done = kDone}));
                ops::set_args(program, kernel, core, FabricSinkStreams{.streams = streams});
            }
        }
    }

    [[nodiscard]] std::span<const DeviceProgram> all() {
        std::erase_if(programs_, [&](const DeviceProgram& part) {
            return num_cores_[part.device] == 0 && streams_at_[part.device].empty();
        });
        return programs_;
    }

private:
    [[nodiscard]] CoreCoord core_of(std::uint32_t index) const {
        const std::uint32_t columns = arch_.workers.compute.columns;
        return {index % columns, index / columns};
    }
    static std::vector<std::uint32_t> route_args(const FabricFlow& flow, std::uint32_t last,
                                                 const FabricPattern& pattern) {
        const bool is_multicast = flow.cast == Cast::ToAllOnTheWay;
        if (pattern.shape.rows == 1) {
            return {static_cast<std::uint32_t>(is_multicast ? Route::Range : Route::Line),
                    flow.route.hops};
        }
        if (!is_multicast) {
            return {static_cast<std::uint32_t>(Route::Mesh), last};
        }
        std::array<std::uint32_t, 4> sides{flow.east, flow.west, 0, 0};
        sides[static_cast<std::size_t>(flow.route.direction)] = flow.route.hops;
        return {static_cast<std::uint32_t>(Route::Box), sides[0], sides[1], sides[2], sides[3]};
    }
    /// Adds the counters before all other semaphores of a core, so that their addresses are equal
    /// on all cores.
    void add_counters(Program& program, std::uint32_t device, CoreCoord core) {
        if (has_counters_.emplace(std::pair(device, core), true).second) {
            CreateSemaphore(program, core, 0);
            CreateSemaphore(program, core, 0);
        }
    }

    const ArchSpec& arch_;
    Stream stream_;
    std::vector<DeviceProgram> programs_;
    std::vector<std::uint32_t> num_cores_;
    std::vector<std::map<CoreCoord, std::uint32_t>> streams_at_;
    std::map<std::pair<std::uint32_t, CoreCoord>, bool> has_counters_;
};

/// Groups flows by their first device.
std::map<std::uint32_t, std::vector<const FabricFlow*>> flows_by_device(
    const FabricPattern& pattern) {
    std::map<std::uint32_t, std::vector<const FabricFlow*>> flows;
    for (const FabricFlow& flow : pattern.flows) {
        flows[flow.device].push_back(&flow);
    }
    return flows;
}

Prediction span_of(const Model& model, const FabricPattern& pattern, const Stream& stream,
                   std::uint32_t packets) {
    Programs programs(model.arch, pattern, stream);
    for (const auto& [device, flows] : flows_by_device(pattern)) {
        for (std::uint32_t link = 0; link < stream.links; ++link) {
            programs.add_sender(flows, link, packets, pattern);
        }
    }
    programs.add_sinks();
    Bench bench(model,
                {.shape = pattern.shape, .topology = pattern.topology, .device = model.arch.name});
    return bench.run(programs.all()).kernel_span_cycles();
}

Prediction bandwidth(const Row& row, const Model& model, const FabricPattern& pattern,
                     const Stream& stream) {
    // The constant overhead of a stream cancels out between one stream and another of twice its
    // length.
    const Prediction steady =
        Prediction::combined(span_of(model, pattern, stream, 2 * kPackets),
                             span_of(model, pattern, stream, kPackets), std::minus<>());
    return as_bandwidth(row, double{kPackets} * stream.bytes * pattern.counted, steady, model);
}

std::string name_behind(const Row& row, std::string_view prefix) {
    expressible(row.workload.starts_with(prefix), "workload {}: not a {}...", row.workload, prefix);
    return row.workload.substr(prefix.size());
}

std::uint32_t links_of(const Parameters& parameters) {
    // "[1,1]": links of rows and of columns
    return parameters.text("links").starts_with('[') ? 1 : parameters.count("links");
}

/// Returns the model with the routers of the tables in test_fabric_edm_bandwidth.py, which date
/// from June 2025 or earlier.
/// - A router ran on one processor on both chips. tt-metal PR 24022: "another 2x should be
///   straightforward after going to 2 erisc mode". Blackhole uses both processors since November
///   (PR 32312).
/// - Rings had a second channel: unicast_RingAsLinear takes 390 ns in both directions,
///   unicast_Linear 325 ns. Rings of later tables acknowledge twice (PR 33222, issue 33318).
/// - A further part of a payload cost as much as an addition: 264 and 261 ns in one direction at 16
///   B, 311 and 312 ns as multicast.
Model with_routers_of_table(Model model) {
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        timing->link.router_processors = 1;
        timing->link.ring_slot = Seconds{35e-9};
        timing->link.part_slot = timing->link.command_slot;
    }
    return model;
}

}  // namespace

Prediction predict_fabric_edm(const Row& row, const Parameters& parameters, const Model& boards) {
    const Model model = with_routers_of_table(boards);
    const Stream stream{.bytes = parameters.count("bytes_per_packet"),
                        .message = message_of(parameters.text("message")),
                        .links = links_of(parameters)};
    return bandwidth(row, model, edm_pattern(name_behind(row, "fabric stream "), parameters),
                     stream);
}

Prediction predict_fabric_bandwidth(const Row& row, const Parameters& parameters,
                                    const Model& model) {
    const Stream stream{.bytes = parameters.count("bytes_per_packet"),
                        .message = message_of(parameters.text("message")),
                        .links = links_of(parameters)};
    return bandwidth(row, model, ubench_pattern(name_behind(row, "fabric "), parameters), stream);
}

}  // namespace tessera::score
