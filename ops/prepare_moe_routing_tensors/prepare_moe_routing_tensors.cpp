// SPDX-License-Identifier: Apache-2.0
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"

#include <algorithm>
#include <utility>

#include "ops/shared/work_share.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

constexpr const char* kOp = "prepare_moe_routing_tensors";
constexpr std::uint32_t kBlockBytes = 8192;        // of selected_experts, handed over at once
constexpr std::uint32_t kTableBytes = 256 * 1024;  // for the tables of a group of experts
constexpr std::uint32_t kLongestTable = 1024;      // entries kept before they are written out
constexpr std::uint32_t kCountStride = 16;         // bytes: alignment of writes

// Circular buffers, as the kernels number them.
enum : std::uint8_t {
    kSelected = 0,
    kWeights = 1,
    kLocalExperts = 2,
    kTokenTables = 3,
    kWeightTables = 4,
    kCounts = 5
};

/// Sizes that reader and builder share.
struct Tables {
    std::uint32_t tokens;
    std::uint32_t top_k;
    std::uint32_t selected_page;  ///< bytes of one token's experts, aligned for reads from DRAM
    std::uint32_t weights_page;
    std::uint32_t block;    ///< token rows handed over at once
    std::uint32_t entries;  ///< entries of an expert's tables held in L1
    std::uint32_t group;    ///< experts whose tables are built in one pass over the tokens
};

std::uint32_t round_up(std::uint32_t value, std::uint32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

Tables make_tables(const Shape& selected, std::uint32_t experts, std::uint32_t alignment) {
    const std::uint32_t page = round_up(selected[1] * 4, alignment);
    const std::uint32_t entries = std::min(round_up(selected[0], 32), kLongestTable);
    return {.tokens = selected[0],
            .top_k = selected[1],
            .selected_page = page,
            .weights_page = round_up(selected[1] * 2, alignment),
            .block = std::clamp(kBlockBytes / page, 1U, selected[0]),
            .entries = entries,
            .group = std::min(experts, kTableBytes / (entries * 6))};
}

std::vector<std::uint32_t> compile_args(const Tables& tables) {
    return {tables.tokens, tables.top_k,   tables.selected_page, tables.weights_page,
            tables.block,  tables.entries, tables.group};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const std::uint32_t experts = context.inputs[2].spec.shape[0];
    const Shape table{experts, context.inputs[0].spec.shape[0]};
    return {{.spec = {{experts, 1}, DataFormat::UInt32, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::UInt32, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::Float16_b, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::UInt32, Layout::ROW_MAJOR}}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        const auto& out = context.device_outputs;
        return make_program(context.arch, {in[0][p], in[1][p], in[2][p]},
                            {out[0][p], out[1][p], out[2][p], out[3][p]},
                            context.params<CopySpec>());
    });
}

std::vector<HostTensor> reference_of_step(const ReferenceContext& context) {
    RoutingTables tables = reference(context.read(0), context.read(1), context.read(2));
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(tables.num_routed_tokens));
    outputs.push_back(std::move(tables.routed_tokens));
    outputs.push_back(std::move(tables.routed_token_weights));
    outputs.push_back(std::move(tables.token_idx_map));
    return outputs;
}

void create_buffers(Program& program, const CoreRangeSet& cores, const Tables& tables,
                    std::uint32_t mapping_bytes, std::uint32_t cb_depth) {
    const auto create = [&](std::uint8_t index, DataFormat format, std::uint32_t page,
                            std::uint32_t pages) {
        CreateCircularBuffer(
            program, cores,
            CircularBufferConfig(page * pages, {{index, format}}).set_page_size(index, page));
    };
    create(kSelected, DataFormat::UInt32, tables.selected_page, tables.block * cb_depth);
    create(kWeights, DataFormat::Float16_b, tables.weights_page, tables.block * cb_depth);
    create(kLocalExperts, DataFormat::Int32, mapping_bytes, 1);
    create(kTokenTables, DataFormat::UInt32, tables.entries * 4, tables.group);
    create(kWeightTables, DataFormat::Float16_b, tables.entries * 2, tables.group);
    create(kCounts, DataFormat::UInt32, kCountStride, tables.group);
}

KernelHandle create_reader(Program& program, const CoreRangeSet& cores, const Inputs& inputs,
                           const Tables& tables) {
    std::vector<std::uint32_t> args = compile_args(tables);
    TensorAccessorArgs(inputs.selected_experts.buffer).append_to(args);
    TensorAccessorArgs(inputs.routing_weights.buffer).append_to(args);
    return CreateKernel(program, "ops/prepare_moe_routing_tensors/kernels/reader.cpp", cores,
                        ReaderDataMovementConfig(args));
}

KernelHandle create_builder(Program& program, const CoreRangeSet& cores, const Inputs& inputs,
                            const Outputs& outputs, const Tables& tables) {
    std::vector<std::uint32_t> args = compile_args(tables);
    args.push_back(inputs.local_experts.spec.shape[0]);
    TensorAccessorArgs(inputs.local_experts.buffer).append_to(args);
    TensorAccessorArgs(outputs.num_routed_tokens.buffer).append_to(args);
    TensorAccessorArgs(outputs.routed_tokens.buffer).append_to(args);
    TensorAccessorArgs(outputs.routed_token_weights.buffer).append_to(args);
    TensorAccessorArgs(outputs.token_idx_map.buffer).append_to(args);
    return CreateKernel(program, "ops/prepare_moe_routing_tensors/kernels/builder.cpp", cores,
                        WriterDataMovementConfig(args));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference_of_step,
                        .check_values = check_values};
    return kOp;
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    const DeviceTensor* const in[]{&inputs.selected_experts, &inputs.routing_weights,
                                   &inputs.local_experts};
    const DeviceTensor* const out[]{&outputs.num_routed_tokens, &outputs.routed_tokens,
                                    &outputs.routed_token_weights, &outputs.token_idx_map};
    check_call(op(), arch, &schedule, in, out);
    const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
    const std::uint32_t experts = inputs.local_experts.spec.shape[0];
    const SharedWork work = share_work(kOp, arch, schedule.grid, experts);
    const Tables tables =
        make_tables(inputs.selected_experts.spec.shape, work.shares.front().count, alignment);

    Program program = CreateProgram();
    create_buffers(program, work.cores, tables, round_up(experts * 4, alignment),
                   schedule.cb_depth);
    const KernelHandle reader = create_reader(program, work.cores, inputs, tables);
    const KernelHandle builder = create_builder(program, work.cores, inputs, outputs, tables);
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {inputs.selected_experts.buffer.address,
                        inputs.routing_weights.buffer.address, share.count});
        SetRuntimeArgs(
            program, builder, share.core,
            {inputs.local_experts.buffer.address, outputs.num_routed_tokens.buffer.address,
             outputs.routed_tokens.buffer.address, outputs.routed_token_weights.buffer.address,
             outputs.token_idx_map.buffer.address, share.first, share.count});
    }
    return program;
}

}  // namespace tessera::ops::prepare_moe_routing_tensors
