// SPDX-License-Identifier: Apache-2.0
// Calls on tiles, on one of the threads unpack, math and pack alone: busy time per tile.
#include <array>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kCalledTiles = 32;

/// One call and its trace event.
struct Call {
    std::string_view name;
    EventKind kind{};
    std::uint8_t detail = 0;
};

constexpr std::array kCalls{
    Call{"add_tiles", EventKind::EltwiseBinary},
    Call{"copy_tile", EventKind::Copy},
    Call{"mul_tiles", EventKind::EltwiseBinary, EltwiseDetail::kMultiply},
    Call{"pack_tile", EventKind::Pack},
    Call{"reduce_tile", EventKind::Reduce},
    Call{"sub_tiles", EventKind::EltwiseBinary},
};

struct Side {
    std::string_view name;
    TimelineThread thread{};
    Activity activity{};
};

constexpr std::array kSides{
    Side{"unpack", TimelineThread::Unpack, Activity::Unpack},
    Side{"math", TimelineThread::Math, Activity::Eltwise},
    Side{"pack", TimelineThread::Pack, Activity::Pack},
};

template <class Table>
const auto& named(const Table& table, std::string_view key, const std::string& name) {
    const auto found = std::ranges::find(table, name, &std::ranges::range_value_t<Table>::name);
    expressible(found != table.end(), "{} {} is not played", key, name);
    return *found;
}

std::uint8_t detail_of_reduce(const Parameters& parameters) {
    const std::string& along = parameters.text("along");
    const std::string& by = parameters.text("by");
    expressible(along == "rows" || along == "columns" || along == "both",
                "along {}: neither rows, columns nor both", along);
    expressible(by == "sum" || by == "largest", "by {}: neither sum nor largest", by);
    const std::uint8_t left = along == "rows"      ? ReduceDetail::kRow
                              : along == "columns" ? ReduceDetail::kColumn
                                                   : ReduceDetail::kScalar;
    return left | (by == "largest" ? ReduceDetail::kLargest : std::uint8_t{0});
}

TraceEvent event_of(const Call& call, const Parameters& parameters) {
    const DataFormat format = parameters.format("dtype");
    TraceEvent event{.kind = call.kind, .detail = call.detail, .count = kCalledTiles};
    if (call.kind == EventKind::Reduce) {
        event.detail = detail_of_reduce(parameters);
    } else if (call.kind == EventKind::Pack && parameters.flag_or("fp32_dest", false)) {
        event.detail = PackDetail::kDst32;
    }
    event.argument =
        ComputeArgument{.srca = format,
                        .srcb = format,
                        .out = format,
                        .fidelity = parameters.has("fidelity") ? parameters.fidelity("fidelity")
                                                               : MathFidelity::LoFi}
            .pack();
    return event;
}

/// Returns a trace that contains the call only: the measured loops have no tile handover.
Trace trace_of_call(const TraceEvent& event, const ArchSpec& arch) {
    ThreadTrace thread{.processor = Processor::Compute, .kernel = 1, .sites = {{}}};
    thread.events = {event};
    Trace trace{.arch = arch.name, .names = {"", "loop of one call"}};
    LaunchTrace launch{.name = "row"};
    launch.dispatch = {{.kernels = 1, .cores = 1, .threads = 1}};
    launch.cores = {CoreTrace{.threads = {std::move(thread)}}};
    trace.launches.push_back(std::move(launch));
    return trace;
}

}  // namespace

Prediction predict_tile_call(const Row& row, const Parameters& parameters, const Model& model) {
    const Call& call = named(kCalls, "call", row.workload);
    const Side& side = named(kSides, "thread", parameters.text("thread"));
    const Trace trace = trace_of_call(event_of(call, parameters), model.arch);
    const Replays replays =
        replay_all(trace, trace.launches.front(), model, one_device(model.arch));
    return as_time(row, replays.busy_cycles(side.thread, side.activity).as([](double cycles) {
        return cycles / kCalledTiles;
    }),
                   model);
}

}  // namespace tessera::score
