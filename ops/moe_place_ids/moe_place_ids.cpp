// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_place_ids/moe_place_ids.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/moe_place_ids/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::moe_place_ids {
namespace {

using config::field;
using config::Limits;

// Bounds the L1 of a core at any number of tokens.
constexpr std::uint32_t kTokensAtOnce = 64;  // rows of topk_ids in L1

constexpr std::array kFields{
    field<&PlaceSpec::slots>("slots", config::kRequired, "places of each device", Limits{1, 65536}),
};

std::uint32_t num_places(const OpContext& context) {
    return context.params<PlaceSpec>().slots * static_cast<std::uint32_t>(context.devices.size());
}

PlaceArgs args_of(const OpContext& context) {
    const Shape& ids = context.inputs["topk_ids"_in].spec.shape;
    return {.num_experts = context.inputs["expert_places"_in].spec.shape[0],
            .top_k = ids[1],
            .ids_page = round_up(4 * ids[1], dram_alignment(context.arch)),
            .tokens_at_once = std::min(ids[0], kTokensAtOnce),
            .num_slots = context.params<PlaceSpec>().slots,
            .num_places = num_places(context)};
}

// Each core holds the whole table: an id may be that of any expert.
std::vector<Scratch> scratch_of(const PlaceArgs& args) {
    return {{Cb::Places, std::uint64_t{4} * args.num_experts},
            {Cb::Ids, std::uint64_t{args.tokens_at_once} * args.ids_page},
            {Cb::Map, std::uint64_t{4} * args.num_places}};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const PlaceArgs args = args_of(context);
    // Slots may stay empty, so experts need not be a multiple of the devices.
    judge.require(
        args.num_experts <= args.num_places, "slots",
        fmt::format("are {} on {} devices; allowed: {} or more, for {} experts", args.num_slots,
                    context.devices.size(),
                    (args.num_experts + context.devices.size() - 1) / context.devices.size(),
                    args.num_experts));
    judge_scratch(context.arch, scratch_of(args), "expert_places", judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto table = [](Shape shape) {
        return TensorPlan{.spec = {std::move(shape), DataFormat::Int32, Layout::ROW_MAJOR}};
    };
    return {table(context.inputs["topk_ids"_in].spec.shape), table({num_places(context)})};
}

Program make_program(const OpContext& context, std::size_t p) {
    const PlaceArgs args = args_of(context);
    const PlaceTensors tensors{
        .ids = &context.device_inputs["topk_ids"_in][p].buffer,
        .expert_places = &context.device_inputs["expert_places"_in][p].buffer,
        .place_ids = &context.device_outputs["place_ids"_out][p].buffer,
        .place_map = &context.device_outputs["place_map"_out][p].buffer};
    const SharedWork work =
        share_work(kSpec.name, context.arch, {}, context.inputs["topk_ids"_in].spec.shape[0]);
    Program program = CreateProgram();
    add_scratch(program, work.cores, scratch_of(args), dram_alignment(context.arch));
    const KernelHandle kernel = CreateKernel(program, "ops/moe_place_ids/kernels/place.cpp",
                                             work.cores, reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        // One core writes the map, which is the same for all tokens.
        set_args(program, kernel, share.core,
                 PlaceShare{.first_token = share.first,
                            .num_tokens = share.count,
                            .first_place = static_cast<std::uint32_t>(p) * args.num_slots,
                            .writes_map = share.first == 0 ? 1U : 0U},
                 addresses_of(tensors));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor ids = context.read("topk_ids"_in);
    const HostTensor places = context.read("expert_places"_in);
    const auto slots = context.params<PlaceSpec>().slots;
    // An expert map and a table of places have the same form: one entry per expert, −1 for none.
    const std::vector<std::int32_t> placed = local_experts_of(ids, &places, places.shape[0]);
    HostTensor place_ids = filled_int32(ids.shape, kNobody);
    std::ranges::copy(placed, place_ids.as<std::int32_t>().begin());
    HostTensor map = filled_int32(context.outputs["place_map"_out].spec.shape, kNobody);
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        map.as<std::int32_t>()[context.position * slots + slot] = static_cast<std::int32_t>(slot);
    }
    return list_of(std::move(place_ids), std::move(map));
}

void check_values(const ReferenceContext& context) {
    const NamedTable places = named_table(kInputs, context, "expert_places"_in);
    // An id of −1 is a choice that does not count. An expert without a place is refused, since its
    // tokens would be lost without a message.
    check_indices(kSpec.name, named_table(kInputs, context, "topk_ids"_in), places.values.shape[0],
                  Nobody::Allowed);
    check_indices(
        kSpec.name, places,
        std::uint64_t{context.params<PlaceSpec>().slots} * context.inputs["topk_ids"_in].size(),
        Nobody::Forbidden);
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<PlaceSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::moe_place_ids
