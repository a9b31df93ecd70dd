// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.hpp"

#include <algorithm>

#include "ops/bound.hpp"
#include "ops/matmul/block_program.hpp"
#include "ops/matmul/blocking.hpp"
#include "ops/matmul/tile_program.hpp"
#include "ops/shared/placement.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::matmul {
namespace {

using config::field;
using config::Limits;
using config::section;

constexpr std::string_view kPlacementProse = "memory and layout of the tensor";

constexpr std::array kInputFields{
    field<&MatmulOperandSpec::placement>("placement", "dram_interleaved", kPlacementProse),
};

constexpr std::array kOutputFields{
    field<&MatmulOperandSpec::placement>("placement", "dram_interleaved", kPlacementProse),
    field<&MatmulOperandSpec::format>("format", "bfloat16", "bfloat16, bfp8_b, bfp4_b or float32"),
};

constexpr std::array kFields{
    field<&MatmulSpec::schedule>("schedule", "multicast_2d",
                                 "single_core; multi_core: output tiles spread over the grid; "
                                 "multicast_2d: a block of output per core, operands shared along "
                                 "rows and columns; multicast_1d: one operand shared by all cores"),
    field<&MatmulSpec::multicast_operand>("multicast_operand", "in1",
                                          "operand that multicast_1d shares"),
    field<&MatmulSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&MatmulSpec::in0_block_w>("in0_block_w", "1", "K tiles of a block; divides K",
                                    Limits{1, 1024}),
    field<&MatmulSpec::per_core_m>(
        "per_core_m", "0", "output rows of a core in tiles; 0: spread over the grid", kTileCount),
    field<&MatmulSpec::per_core_n>("per_core_n", "0",
                                   "output columns of a core in tiles; 0: spread over the grid",
                                   kTileCount),
    field<&MatmulSpec::out_block_h>("out_block_h", "0",
                                    "output rows of one pass over K; 0: per_core_m", kTileCount),
    field<&MatmulSpec::out_block_w>("out_block_w", "0",
                                    "output columns of one pass over K; 0: per_core_n", kTileCount),
    field<&MatmulSpec::out_subblock>("out_subblock", "[1, 1]",
                                     "output tiles held in DST at once; at most half of DST",
                                     Limits{1, 16}),
    field<&MatmulSpec::cb_depth>("cb_depth", "2", "blocks that each input CB holds", kDepth),
    field<&MatmulSpec::fp32_dest_acc>(
        "fp32_dest_acc", "false",
        "32-bit DST; false rounds sums to bf16 and doubles the tiles of DST"),
    field<&MatmulSpec::packer_l1_acc>(
        "packer_l1_acc", "false",
        "whether the packer adds partial sums in L1; else they are reloaded"),
    field<&MatmulSpec::math_fidelity>("math_fidelity", "HiFi2", kFidelityProse),
    section<&MatmulSpec::in0>("in0", kInputFields, "A"),
    section<&MatmulSpec::in1>("in1", kInputFields, "B"),
    section<&MatmulSpec::out>("out", kOutputFields, "C"),
};

std::string schedule_words(ParameterRef parameters) {
    return config::Value<MatmulSchedule>::show(parameters.as<MatmulSpec>().schedule);
}

/// Returns the schedule with the formats that the inputs have.
MatmulSpec for_inputs(MatmulSpec schedule, const TensorSpec& in0, const TensorSpec& in1) {
    schedule.in0.format = in0.format;
    schedule.in1.format = in1.format;
    return schedule;
}

OperandLayouts layouts_of(const OpContext& context) {
    const TensorSpec& in0 = context.inputs["in0"_in].spec;
    const TensorSpec& in1 = context.inputs["in1"_in].spec;
    return operand_layouts(context.arch, {in0.shape[0], in0.shape[1], in1.shape[1]},
                           for_inputs(context.params<MatmulSpec>(), in0, in1));
}

void judge_place(std::string_view operand, TensorPlacement placement, const TensorPlan& tensor,
                 const TensorPlan& expected, RuleJudge& judge) {
    std::string place = config::Value<TensorPlacement>::show(placement);
    if (expected.shard) {
        const auto& shape = expected.shard->shard_shape;
        place += fmt::format(" in shards of {}x{} tiles", shape[0], shape[1]);
    }
    judge.require(lies_as(tensor, expected), operand,
                  fmt::format("is not placed as {}.placement states: {}", operand, place));
}

void judge_tensors(const OpContext& context, const OperandLayouts& layouts, RuleJudge& judge) {
    const auto& schedule = context.params<MatmulSpec>();
    judge_place("in0", schedule.in0.placement, context.inputs["in0"_in], layouts.in0, judge);
    judge_place("in1", schedule.in1.placement, context.inputs["in1"_in], layouts.in1, judge);
    if (!context.outputs.empty()) {
        const TensorPlan& out = context.outputs[only(kOutputs)];
        judge.require(out.spec.format == layouts.out.spec.format, "out",
                      fmt::format("is {}; allowed: {}, as out.format states",
                                  name_of(out.spec.format), name_of(layouts.out.spec.format)));
        judge_place("out", schedule.out.placement, out, layouts.out, judge);
    }
}

/// Keys that change nothing with a schedule.
std::span<const std::string_view> untaken_by(MatmulSchedule schedule) {
    static constexpr std::array<std::string_view, 2> kSingleCore{"multicast_operand", "grid"};
    // Tiles are distributed one by one, over all of K.
    static constexpr std::array<std::string_view, 8> kMultiCore{
        "multicast_operand", "in0_block_w", "per_core_m",   "per_core_n",
        "out_block_h",       "out_block_w", "out_subblock", "packer_l1_acc"};
    static constexpr std::array<std::string_view, 1> kMulticast2D{"multicast_operand"};
    switch (schedule) {
        case MatmulSchedule::SingleCore:
            return kSingleCore;
        case MatmulSchedule::MultiCore:
            return kMultiCore;
        case MatmulSchedule::Multicast2D:
            return kMulticast2D;
        case MatmulSchedule::Multicast1D:
            break;
    }
    return {};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<MatmulSpec>();
    judge_untaken(kFields, &spec, untaken_by(spec.schedule), schedule_words(&spec), judge);
    if (!judge_grid(context.arch, context.params<MatmulSpec>().grid, judge)) {
        return;
    }
    // block_up() and operand_layouts() check while they compute. A second set of checks here could
    // have other limits, so their errors become the rule's message.
    try {
        judge_tensors(context, layouts_of(context), judge);
    } catch (const ScheduleError& error) {
        judge.require(false, error.key(), error.text());
    }
}

/// Returns the placement of inputs. The rules refuse a schedule that does not fit the inputs.
std::vector<TensorPlan> place_inputs(const OpContext& context) {
    try {
        const OperandLayouts layouts = layouts_of(context);
        return {layouts.in0, layouts.in1};
    } catch (const UsageError&) {
        return {context.inputs.begin(), context.inputs.end()};
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    try {
        // Only the shape is needed by steps after this one; the rules report why the schedule does
        // not fit.
        return {layouts_of(context).out};
    } catch (const UsageError&) {
        return {{.spec = {{context.inputs["in0"_in].spec.shape[0],
                           context.inputs["in1"_in].spec.shape[1]},
                          context.params<MatmulSpec>().out.format,
                          Layout::TILE}}};
    }
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const MatmulSpec& schedule) {
    const MatmulSpec own = for_inputs(schedule, inputs.in0.spec, inputs.in1.spec);
    return own.schedule == MatmulSchedule::MultiCore
               ? make_tile_program(arch, inputs, outputs, own)
               : make_block_program(arch, inputs, outputs, own);
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        return make_program(
            context.arch, {context.device_inputs["in0"_in][p], context.device_inputs["in1"_in][p]},
            {context.device_outputs[only(kOutputs)][p]}, context.params<MatmulSpec>());
    });
}

LeastWork bound(const BoundContext& context) {
    return product_work(context, context.in("in0"_in).shape.back());
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<MatmulSpec>(kFields),
        .schedule = [](const OpContext& context) { return schedule_words(context.parameters); },
        .rules = rules,
        .place_inputs = place_inputs,
        .infer = infer,
        .programs = programs,
        .bound = bound,
        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::matmul
