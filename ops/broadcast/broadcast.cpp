// SPDX-License-Identifier: Apache-2.0
#include "ops/broadcast/broadcast.hpp"

#include "ops/exchange/collective.hpp"

namespace tessera::ops::broadcast {
namespace {

using config::field;

constexpr std::array kFields{
    field<&BroadcastSpec::algorithm>("algorithm", "bidirectional",
                                     "bidirectional: half of it each way round a ring"),
    field<&BroadcastSpec::root>("root", "0", "position in the group of the device that has it",
                                config::Limits{0, 255}),
    field<&BroadcastSpec::links>("links", "4", "links of each direction",
                                 config::Limits{1, kLinksPerDirection}),
    field<&BroadcastSpec::packet_tiles>("packet_tiles", "0", exchange::kPacketTilesProse,
                                        exchange::kPacketTiles),
    field<&BroadcastSpec::chunk_packets>("chunk_packets", "16", exchange::kChunkPacketsProse,
                                         exchange::kChunkPackets),
};

exchange::Transport transport_of(const BroadcastSpec& spec) {
    return {.links = spec.links,
            .packet_tiles = spec.packet_tiles,
            .chunk_packets = spec.chunk_packets,
            .partial_sums = exchange::PartialSums::Bf16};
}

exchange::GroupPlans plans_of(const OpContext& context, std::uint32_t page_stride) {
    const auto& spec = context.params<BroadcastSpec>();
    return exchange::broadcast_plans({context.mesh, context.devices, spec.links, spec.algorithm},
                                     spec.root, context.inputs[0].spec.num_pages() * page_stride);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<BroadcastSpec>();
    exchange::judge_transport(context.arch, transport_of(spec), exchange::ways_of(spec.algorithm),
                              judge);
    exchange::judge_memory(context, judge);
    if (spec.algorithm == exchange::Travel::Line) {
        exchange::judge_line_group(context, judge);
    }
    const bool has_root = spec.root < context.devices.size();
    judge.require(has_root, "root",
                  fmt::format("is {}; the group has positions 0 to {}", spec.root,
                              context.devices.size() - 1));
    if (exchange::judge_group(context, judge) && has_root &&
        exchange::judge_bytes(context.inputs[0], "input", judge)) {
        judge_plan(judge, "devices", [&] {
            exchange::judge_plans(plans_of(context, context.inputs[0].spec.page_size()),
                                  context.devices, judge);
        });
    }
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<BroadcastSpec>(kFields),
        .schedule =
            [](const void* spec) {
                return config::Value<exchange::Travel>::show(
                    static_cast<const BroadcastSpec*>(spec)->algorithm);
            },
        .rules = rules,
        .infer = [](const OpContext& context) -> std::vector<TensorPlan> {
            return {{.spec = context.inputs[0].spec, .memory = context.inputs[0].memory}};
        },
        .programs =
            [](const OpContext& context) {
                const auto& spec = context.params<BroadcastSpec>();
                return exchange::make_programs(
                    context, transport_of(spec), exchange::ways_of(spec.algorithm),
                    plans_of(context, context.device_inputs[0][0].buffer.aligned_page_size));
            },
        .reference = [](const ReferenceContext& context) -> std::vector<HostTensor> {
            return {context.inputs[0].at(context.params<BroadcastSpec>().root)->all()};
        }};
    return kOp;
}

}  // namespace tessera::ops::broadcast
