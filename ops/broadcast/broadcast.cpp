// SPDX-License-Identifier: Apache-2.0
#include "ops/broadcast/broadcast.hpp"

#include "ops/bound.hpp"
#include "ops/shared/exchange/collective.hpp"

namespace tessera::ops::broadcast {
namespace {

using config::field;

constexpr std::array kFields{
    field<&BroadcastSpec::algorithm>("algorithm", "bidirectional",
                                     "bidirectional: half of it in each direction of a ring"),
    field<&BroadcastSpec::root>("root", "0",
                                "position in the group of the device that has the tensor",
                                config::Limits{0, 255}),
    field<&BroadcastSpec::links>("links", "4", "links of each direction",
                                 config::Limits{1, kLinksPerDirection}),
    field<&BroadcastSpec::packet_tiles>("packet_tiles", "0", exchange::kPacketTilesProse,
                                        exchange::kPacketTiles),
    field<&BroadcastSpec::chunk_packets>("chunk_packets", "0", exchange::kChunkPacketsProse,
                                         exchange::kChunkPackets),
};

exchange::Collective collective_of(const OpContext& context) {
    const auto& spec = context.params<BroadcastSpec>();
    // Plans are made from bytes only: pages have one stride, so the same plan serves any format and
    // layout.
    return {.travel = spec.algorithm,
            .transport = {.links = spec.links,
                          .packet_tiles = spec.packet_tiles,
                          .chunk_packets = spec.chunk_packets},
            .plans = [root = spec.root, pages = context.inputs[only(kInputs)].spec.num_pages()](
                         const exchange::Exchange& exchange, std::uint32_t page_stride) {
                return exchange::broadcast_plans(exchange, root, pages * page_stride);
            }};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const std::uint32_t root = context.params<BroadcastSpec>().root;
    const bool has_root = root < context.devices.size();
    judge.require(
        has_root, "root",
        fmt::format("is {}; the group has positions 0 to {}", root, context.devices.size() - 1));
    // The plans index devices relative to the root, so it must exist before they are checked.
    if (has_root) {
        exchange::judge_collective(context, collective_of(context), context.inputs[only(kInputs)],
                                   judge);
    }
}

LeastWork bound(const BoundContext& context) {
    // The root has the values; no other device waits for its own copy.
    if (context.position == context.params<BroadcastSpec>().root) {
        return operand_bytes(context, {"output"});
    }
    LeastWork work = operand_bytes(context, {"input"});
    work.link_bytes = bytes_of_elements(valid_elements(context, only(kOutputs)),
                                        context.out(only(kOutputs)).format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<BroadcastSpec>(kFields),
        .schedule =
            [](const OpContext& context) {
                return config::Value<exchange::Travel>::show(
                    context.params<BroadcastSpec>().algorithm);
            },
        .rules = rules,
        .infer = [](const OpContext& context) -> std::vector<TensorPlan> {
            // Devices that only receive need a tensor of the same shape and memory.
            return {{.spec = context.inputs[only(kInputs)].spec,
                     .memory = context.inputs[only(kInputs)].memory}};
        },
        .programs =
            [](const OpContext& context) {
                return exchange::collective_programs(context, collective_of(context));
            },
        .bound = bound,
        .reference = [](const ReferenceContext& context) -> std::vector<HostTensor> {
            // Each device must hold the root's bytes.
            return {context.inputs[only(kInputs)].at(context.params<BroadcastSpec>().root)->all()};
        }};
    return kOp;
}

}  // namespace tessera::ops::broadcast
