// SPDX-License-Identifier: Apache-2.0
#include "ops/all_gather/all_gather.hpp"

#include <numeric>

#include "emu/base/round_up.hpp"
#include "ops/all_gather/place.hpp"
#include "ops/bound.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "ops/shared/exchange/collective.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::all_gather {
namespace {

using config::field;
using config::Limits;

constexpr Limits kTransfer{1, 1024};  // pages

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    output.shape[0] *= static_cast<std::uint32_t>(context.devices.size());
    return {{.spec = output, .memory = context.inputs["input"_in].memory}};
}

constexpr std::array kFields{
    field<&Schedule::links>("links", "4", "links of each direction", Limits{1, kLinksPerDirection}),
    field<&Schedule::workers>("workers", "1", "cores for each link of each direction",
                              Limits{1, 64}),
    field<&Schedule::farthest>("farthest", "half_each_way",
                               "path of the farthest slice of a ring of even length"),
    field<&Schedule::sync_pages>("sync_pages", "4", "pages per notification of the receiver",
                                 kTransfer),
    field<&Schedule::batch_pages>("batch_pages", "0", "pages read at a time; 0: sync_pages",
                                  Limits{0, kTransfer.most}),
    field<&Schedule::cb_depth>("cb_depth", "2", "batches in a CB", kDepth),
    field<&Schedule::read_ahead>("read_ahead", "true",
                                 "multicast: reads a batch while the previous one is sent"),
    field<&Schedule::algorithm>(
        "algorithm", "auto",
        "auto: pages for up to 256 KiB of each device of a single row or column, else "
        "bidirectional; pages: into the neighbours' memory; multicast: into that of all devices at "
        "once"),
    field<&Schedule::packet_tiles>("packet_tiles", "0", exchange::kPacketTilesProse,
                                   exchange::kPacketTiles),
    field<&Schedule::chunk_packets>("chunk_packets", "0", exchange::kChunkPacketsProse,
                                    exchange::kChunkPackets),
};

/// Returns whether an algorithm writes directly to memory; each other algorithm goes through L1, by
/// exchange::Travel.
bool writes_memory(Algorithm algorithm) {
    return algorithm == Algorithm::Pages || algorithm == Algorithm::Multicast;
}

// Pages and Multicast write to memory and have no travel; this function is not called for them.
exchange::Travel travel_of(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::Bidirectional:
            return exchange::Travel::Bidirectional;
        case Algorithm::Line:
            return exchange::Travel::Line;
        case Algorithm::RowsColumns:
            return exchange::Travel::RowsColumns;
        default:
            return exchange::Travel::Ring;
    }
}

exchange::Collective collective_of(const OpContext& context) {
    const auto& schedule = context.params<Schedule>();
    return {.travel = travel_of(algorithm_of(context)),
            .transport = {.links = schedule.links,
                          .packet_tiles = schedule.packet_tiles,
                          .chunk_packets = schedule.chunk_packets},
            .plans = [&context](const exchange::Exchange& exchange, std::uint32_t page_stride) {
                // With counts, each device has its own number of rows, and the parts are
                // contiguous.
                const TensorSpec& input = context.inputs["input"_in].spec;
                const auto rows = exchange::part_rows(context, "counts"_in, input.shape[0]);
                std::vector<exchange::Slice> slices;
                for (const auto& [begin, bytes] : exchange::parts_of(rows, input, page_stride)) {
                    // The input is the first part of every device: it starts at 0 and is copied to
                    // its position in the output.
                    slices.push_back({0, begin, bytes});
                }
                return exchange::all_gather_plans(exchange, slices);
            }};
}

/// Keys that change nothing with an algorithm.
std::span<const std::string_view> untaken_by(Algorithm algorithm) {
    static constexpr std::array<std::string_view, 2> kPages{"read_ahead", "chunk_packets"};
    // One core per link, whose two RISCs send in one direction each.
    static constexpr std::array<std::string_view, 3> kMulticast{"workers", "farthest",
                                                                "chunk_packets"};
    static constexpr std::array<std::string_view, 6> kThroughL1{
        "workers", "farthest", "sync_pages", "batch_pages", "cb_depth", "read_ahead"};
    switch (algorithm) {
        case Algorithm::Pages:
            return kPages;
        case Algorithm::Multicast:
            return kMulticast;
        default:
            return kThroughL1;
    }
}

void judge_whole_tiles(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& input = context.inputs["input"_in].spec;
    // A tile of rank 2 with rows of two devices cannot be put together by moving pages.
    judge.require(input.layout == Layout::ROW_MAJOR || input.shape.size() > 2 ||
                      input.shape[0] % kTileRows == 0,
                  "input",
                  fmt::format("is {}; allowed for a TILE tensor of rank 2: a multiple of {} rows",
                              describe(input), kTileRows));
}

/// Checks that batches of whole pages fit into L1, for any number of packets in a page.
void judge_batches(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    const auto alignment = static_cast<std::uint32_t>(context.arch.dram.alignment.value);
    const std::uint64_t page = round_up(context.inputs["input"_in].spec.page_size(), alignment);
    // Whole pages, although a long page leaves in several packets: it is read as one.
    const std::uint64_t bytes = schedule.cb_depth * schedule.batch() * page;
    judge.require(
        bytes <= buffer_room(context.arch), "cb_depth",
        fmt::format("{} batches of {} pages of {} B take {} B of circular buffers; a core has {} B "
                    "of L1 for them",
                    schedule.cb_depth, schedule.batch(), page, bytes, buffer_room(context.arch)));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<Schedule>();
    const auto name = config::Value<Algorithm>::show(algorithm_of(context));
    judge_untaken(kFields, &schedule, untaken_by(algorithm_of(context)), name, judge);
    judge_whole_tiles(context, judge);
    const bool is_ragged = context.has("counts"_in);
    // Only exchange knows uneven parts: its plans are made of bytes, not of equal page ranges.
    if (!writes_memory(algorithm_of(context))) {
        judge.require(!is_ragged || context.inputs["input"_in].spec.layout == Layout::ROW_MAJOR,
                      "counts", "are of rows of a ROW_MAJOR tensor; the input is TILE");
        return exchange::judge_collective(context, collective_of(context),
                                          infer(context)[only(kOutputs)], judge);
    }
    judge.require(!is_ragged, "algorithm",
                  fmt::format("is {}, which takes no counts; ring, bidirectional, line and "
                              "rows_columns do",
                              name));
    judge_line(context, judge);
    judge_lanes(context.arch, schedule.lanes(), judge);
    judge.require(schedule.sync_pages > 0, "sync_pages", "is 0; allowed: at least 1");
    judge_depth(schedule.cb_depth, judge);
    judge_batches(context, judge);
    // With one batch in L1, the next batch would overwrite the one that is being sent.
    judge.require(schedule.algorithm != Algorithm::Multicast || !schedule.read_ahead ||
                      schedule.cb_depth >= 2,
                  "cb_depth",
                  fmt::format("is {}; multicast that reads ahead (read_ahead) needs 2 or more",
                              schedule.cb_depth));
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    if (!writes_memory(algorithm_of(context))) {
        return exchange::collective_programs(context, collective_of(context));
    }
    return line_programs(context);
}

LeastWork bound(const BoundContext& context) {
    // A device has its own part, and receives the parts of all others.
    const std::vector<std::uint32_t> counts = context.counts(kOutputs[only(kOutputs)]);
    const double gathered = valid_elements(context, only(kOutputs));
    const double own = context.has("counts"_in) && !counts.empty()
                           ? gathered * counts.at(context.position) /
                                 std::max(1.0, std::accumulate(counts.begin(), counts.end(), 0.0))
                           : static_cast<double>(num_elements(context.in("input"_in).shape));
    LeastWork work = operand_bytes(context, {"input", "counts"});
    work.link_bytes = bytes_of_elements(gathered - own, context.out(only(kOutputs)).format);
    return work;
}

}  // namespace

Algorithm algorithm_of(const OpContext& context) {
    constexpr std::uint64_t kMostPageBytes = 256 * 1024;
    const Algorithm given = context.params<Schedule>().algorithm;
    if (given != Algorithm::Auto) {
        return given;
    }
    const bool takes_pages = is_mesh_line(context) && !context.has("counts"_in) &&
                             context.inputs["input"_in].spec.num_bytes() <= kMostPageBytes;
    return takes_pages ? Algorithm::Pages : Algorithm::Bidirectional;
}

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
        .programs = programs,
        .bound = bound,
        .reference = reference,
        .check_values =
            [](const ReferenceContext& context) {
                exchange::check_part_rows(kSpec.name, context, "counts"_in,
                                          context.in("input"_in).shape()[0]);
            }};
    return kOp;
}

}  // namespace tessera::ops::all_gather
