// SPDX-License-Identifier: Apache-2.0
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"

#include <algorithm>
#include <utility>

#include "emu/base/round_up.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

/// All on one device, ROW_MAJOR.
struct Inputs {
    const DeviceTensor& selected_experts;  ///< (T,K) uint32, ids over all devices, none twice a row
    const DeviceTensor& routing_weights;   ///< (T,K) bfloat16
    const DeviceTensor& local_experts;     ///< (E/D) int32: the device's row of the expert mapping
};

struct Outputs {
    const DeviceTensor& num_routed_tokens;     ///< (E/D,1) uint32
    const DeviceTensor& routed_tokens;         ///< (E/D,T) uint32
    const DeviceTensor& routed_token_weights;  ///< (E/D,T) bfloat16
    const DeviceTensor& token_idx_map;         ///< (E/D,T) uint32
};

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

Tables make_tables(const Shape& selected, std::uint32_t experts, std::uint32_t alignment) {
    const std::uint32_t page = round_up(selected[1] * 4, alignment);
    // Multiples of 32 entries are whole lines of both tables, so that partial tables are written at
    // aligned places.
    const std::uint32_t entries = std::min(round_up(selected[0], 32U), kLongestTable);
    // A block has at least one token, also if its row is longer than a block. An entry takes 6
    // bytes: 4 of the token and 2 of the weight.
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
    // Rows of T entries: any expert may get all tokens. Entries from the count on are no token.
    const Shape table{experts, context.inputs[0].spec.shape[0]};
    return {{.spec = {{experts, 1}, DataFormat::UInt32, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::UInt32, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::Float16_b, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::UInt32, Layout::ROW_MAJOR}}};
}

void create_buffers(Program& program, const CoreRangeSet& cores, const Tables& tables,
                    std::uint32_t mapping_bytes, std::uint32_t cb_depth) {
    // The selection streams through; the tables stay in L1 until they are full.
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
    // The builder alone knows the local experts; the reader hands every token over.
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

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
    const std::uint32_t experts = inputs.local_experts.spec.shape[0];
    // Experts are split over cores. Splitting tokens would need a merge, as entries must ascend by
    // token.
    const SharedWork work = share_work(kOp, arch, schedule.grid, experts);
    // The first core has the most experts.
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

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        const auto& out = context.device_outputs;
        return make_program(context.arch, {in[0][p], in[1][p], in[2][p]},
                            {out[0][p], out[1][p], out[2][p], out[3][p]},
                            context.params<CopySpec>());
    });
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::prepare_moe_routing_tensors
