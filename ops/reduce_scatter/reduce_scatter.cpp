// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce_scatter/reduce_scatter.hpp"

#include "ops/bound.hpp"
#include "ops/reduce_scatter/algorithms.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "ops/shared/exchange/collective.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::reduce_scatter {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&Schedule::links>("links", "4", "links of each direction", Limits{1, kLinksPerDirection}),
    field<&Schedule::workers>("workers", "1", "cores for each link of each direction",
                              Limits{1, 64}),
    field<&Schedule::sync_tiles>("sync_tiles", "8", "tiles per notification of the receiver",
                                 Limits{1, 1024}),
    field<&Schedule::cb_depth>("cb_depth", "2", "times sync_tiles in a CB", kDepth),
    field<&Schedule::algorithm>(
        "algorithm", "line",
        "line: partial sums in the neighbours' memory; direct: to where a slice is summed"),
    field<&Schedule::packet_tiles>("packet_tiles", "0", exchange::kPacketTilesProse,
                                   exchange::kPacketTiles),
    field<&Schedule::chunk_packets>("chunk_packets", "0", exchange::kChunkPacketsProse,
                                    exchange::kChunkPackets),
    field<&Schedule::partial_sums>("partial_sums", "bf16",
                                   "format of partial sums that are sent or stored; line: bf16"),
    field<&Schedule::start>(
        "start", "sources",
        "line: a core sends when its sources run (sources), or when all devices run (all)"),
};

/// Returns whether an algorithm has kernels of its own. The others go from circular buffer to
/// circular buffer, by exchange::Travel.
bool has_own_kernels(Algorithm algorithm) {
    return algorithm == Algorithm::Line || algorithm == Algorithm::Direct;
}

exchange::Travel travel_of(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::Bidirectional:
            return exchange::Travel::Bidirectional;
        case Algorithm::RowsColumns:
            return exchange::Travel::RowsColumns;
        default:
            return exchange::Travel::Ring;
    }
}

exchange::Collective collective_of(const OpContext& context) {
    const auto& schedule = context.params<Schedule>();
    return {.travel = travel_of(schedule.algorithm),
            .transport = {schedule.links, schedule.packet_tiles, schedule.chunk_packets,
                          schedule.partial_sums},
            .plans = [&context](const exchange::Exchange& exchange, std::uint32_t page_stride) {
                const TensorSpec& input = context.inputs["input"_in].spec;
                const auto rows = exchange::part_rows(
                    context, "counts"_in,
                    input.shape[0] / static_cast<std::uint32_t>(context.devices.size()));
                std::vector<exchange::Slice> slices;
                // The part of each device moves to the start of its output.
                for (const auto& [begin, bytes] : exchange::parts_of(rows, input, page_stride)) {
                    slices.push_back({begin, 0, bytes});
                }
                return exchange::reduce_scatter_plans(exchange, slices);
            }};
}

/// Keys that change nothing with an algorithm.
std::span<const std::string_view> untaken_by(Algorithm algorithm) {
    static constexpr std::array<std::string_view, 2> kLine{"chunk_packets", "partial_sums"};
    static constexpr std::array<std::string_view, 5> kDirect{"workers", "sync_tiles", "cb_depth",
                                                             "chunk_packets", "start"};
    static constexpr std::array<std::string_view, 4> kThroughL1{"workers", "sync_tiles", "cb_depth",
                                                                "start"};
    switch (algorithm) {
        case Algorithm::Line:
            return kLine;
        case Algorithm::Direct:
            return kDirect;
        default:
            return kThroughL1;
    }
}

void judge_whole_tiles(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& input = context.inputs["input"_in].spec;
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    // Slices are cut between rows of tiles; a tile of two devices' rows could not be summed by the
    // page.
    judge.require(
        input.layout == Layout::ROW_MAJOR || input.shape[0] % (kTileRows * devices) == 0, "input",
        fmt::format("is {}; allowed: a multiple of {} rows, whole tiles for each of {} devices",
                    describe(input), kTileRows * devices, devices));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    const auto name = config::Value<Algorithm>::show(schedule.algorithm);
    judge_untaken(kFields, &schedule, untaken_by(schedule.algorithm), name, judge);
    judge_whole_tiles(context, judge);
    const bool is_ragged = context.has("counts"_in);
    const bool is_row_major = context.inputs["input"_in].spec.layout == Layout::ROW_MAJOR;
    if (!has_own_kernels(schedule.algorithm)) {
        judge.require(!is_ragged || is_row_major, "counts",
                      "are of rows of a ROW_MAJOR tensor; the input is TILE");
        return exchange::judge_collective(context, collective_of(context),
                                          context.inputs["input"_in], judge);
    }
    // Both own forms give every device the same number of tiles.
    judge.require(
        !is_ragged, "algorithm",
        fmt::format("is {}, which takes no counts; ring, bidirectional and rows_columns do", name));
    // Their compute kernels add tiles. Exchange adds rows as tiles of consecutive elements.
    judge.require(
        !is_row_major, "algorithm",
        fmt::format("is {}, which takes TILE; ring, bidirectional and rows_columns take both",
                    name));
    judge_line(context, judge);
    if (schedule.algorithm == Algorithm::Direct) {
        return direct::rules(context, judge);
    }
    judge_lanes(context.arch, schedule.lanes(), judge);
    judge.require(schedule.sync_tiles > 0, "sync_tiles", "is 0; allowed: at least 1");
    judge_depth(schedule.cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    output.shape[0] /= static_cast<std::uint32_t>(context.devices.size());
    return {{.spec = output, .memory = context.inputs["input"_in].memory}};
}

/// Returns the workspaces. With Line, partial sums from the device before, and from the one after,
/// arrive there.
std::vector<TensorPlan> workspaces(const OpContext& context) {
    const Algorithm algorithm = context.params<Schedule>().algorithm;
    // Sums arrive in L1, in the core's own buffer.
    if (algorithm == Algorithm::Direct) {
        return {};
    }
    if (algorithm != Algorithm::Line) {
        return exchange::collective_workspaces(context, collective_of(context));
    }
    const TensorPlan partial{.spec = context.inputs["input"_in].spec,
                             .memory = context.inputs["input"_in].memory};
    return {partial, partial};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const Algorithm algorithm = context.params<Schedule>().algorithm;
    if (algorithm == Algorithm::Direct) {
        return direct::programs(context);
    }
    if (algorithm != Algorithm::Line) {
        return exchange::collective_programs(context, collective_of(context));
    }
    return line::programs(context);
}

LeastWork bound(const BoundContext& context) {
    // Each row of a sum travels n − 1 times between devices, of which each receives its share.
    LeastWork work = operand_bytes(context, {"input", "counts"});
    const TensorSpec& input = context.in("input"_in);
    const double rows =
        context.has("counts"_in) ? sum_of(context, "counts"_in) : double{1} * input.shape[0];
    work.link_bytes =
        share_of_others(context) * bytes_of_elements(rows * input.shape.back(), input.format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<Schedule>(kFields),
        .schedule =
            [](const OpContext& context) {
                return config::Value<Algorithm>::show(context.params<Schedule>().algorithm);
            },
        .rules = rules,
        .infer = infer,
        .workspaces = workspaces,
        .programs = programs,
        .bound = bound,
        .reference = reference,
        .check_values =
            [](const ReferenceContext& context) {
                const auto devices = static_cast<std::uint32_t>(context.inputs["input"_in].size());
                exchange::check_part_rows(kSpec.name, context, "counts"_in,
                                          context.in("input"_in).shape()[0] / devices);
            }};
    return kOp;
}

}  // namespace tessera::ops::reduce_scatter
