// SPDX-License-Identifier: Apache-2.0
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"

#include <algorithm>
#include <utility>

#include "emu/base/round_up.hpp"
#include "ops/prepare_moe_routing_tensors/kernels/args.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {
namespace {

/// All on one device, ROW_MAJOR.
struct Inputs {
    const DeviceTensor& selected_experts;  ///< (T,K) uint32, ids over all devices, unique per row
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
constexpr std::uint32_t kBlockBytes = 8192;        // bytes of selected_experts per push
constexpr std::uint32_t kTableBytes = 256 * 1024;  // for the tables of a group of experts
constexpr std::uint32_t kLongestTable = 1024;      // entries kept before they are written out

TableArgs make_tables(const Shape& selected, std::uint32_t experts, std::uint32_t alignment) {
    const std::uint32_t page = round_up(selected[1] * 4, alignment);
    // Multiples of 32 entries are whole lines of both tables, so partial tables are written at
    // aligned addresses.
    const std::uint32_t entries = std::min(round_up(selected[0], 32U), kLongestTable);
    // A block has at least one token, also if its row is longer than a block. An entry takes 6
    // bytes: 4 of the token and 2 of the weight.
    return {.num_tokens = selected[0],
            .top_k = selected[1],
            .selected_page = page,
            .weights_page = round_up(selected[1] * 2, alignment),
            .block = std::clamp(kBlockBytes / page, 1U, selected[0]),
            .entries = entries,
            .group = std::min(experts, kTableBytes / (entries * 6))};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const std::uint32_t experts = context.inputs["local_experts"_in].spec.shape[0];
    // Rows of T entries: any expert may have all tokens. Entries after the count are no token.
    const Shape table{experts, context.inputs["selected_experts"_in].spec.shape[0]};
    return {{.spec = {{experts, 1}, DataFormat::UInt32, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::UInt32, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::Float16_b, Layout::ROW_MAJOR}},
            {.spec = {table, DataFormat::UInt32, Layout::ROW_MAJOR}}};
}

void create_buffers(Program& program, const CoreRangeSet& cores, const TableArgs& tables,
                    std::uint32_t mapping_bytes, std::uint32_t cb_depth) {
    // The selection streams through; the tables stay in L1 until they are full.
    const auto add = [&](Cb cb, DataFormat format, CbSize size) {
        add_circular_buffer(program, cores, cb, format, size);
    };
    add(Cb::Selected, DataFormat::UInt32, {tables.block * cb_depth, tables.selected_page});
    add(Cb::Weights, DataFormat::Float16_b, {tables.block * cb_depth, tables.weights_page});
    add(Cb::LocalExperts, DataFormat::Int32, {1, mapping_bytes});
    add(Cb::TokenTables, DataFormat::UInt32, {tables.group, tables.entries * 4});
    add(Cb::WeightTables, DataFormat::Float16_b, {tables.group, tables.entries * 2});
    add(Cb::Counts, DataFormat::UInt32, {tables.group, kCountStride});
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
    const std::uint32_t experts = inputs.local_experts.spec.shape[0];
    // Experts are split over cores. Splitting tokens would need a merge, as entries must ascend by
    // token.
    const SharedWork work = share_work(kOp, arch, schedule.grid, experts);
    // The first core has the most experts.
    const TableArgs tables =
        make_tables(inputs.selected_experts.spec.shape, work.shares.front().count, alignment);

    Program program = CreateProgram();
    create_buffers(program, work.cores, tables, round_up(experts * 4, alignment),
                   schedule.cb_depth);
    const ReaderTensors reads{.selected = &inputs.selected_experts.buffer,
                              .weights = &inputs.routing_weights.buffer};
    const BuilderTensors builds{.local_experts = &inputs.local_experts.buffer,
                                .counts = &outputs.num_routed_tokens.buffer,
                                .routed = &outputs.routed_tokens.buffer,
                                .weights = &outputs.routed_token_weights.buffer,
                                .map = &outputs.token_idx_map.buffer};
    const KernelHandle reader =
        CreateKernel(program, "ops/prepare_moe_routing_tensors/kernels/reader.cpp", work.cores,
                     reader_config(tables, reads));
    // Only the builder knows the local experts; the reader pushes every token.
    const BuilderArgs local{.num_local_experts = experts};
    const KernelHandle builder =
        CreateKernel(program, "ops/prepare_moe_routing_tensors/kernels/builder.cpp", work.cores,
                     writer_config(named(tables, local), builds));
    for (const WorkShare& share : work.shares) {
        set_args(program, reader, share.core, addresses_of(reads),
                 ReaderWork{.num_experts = share.count});
        set_args(program, builder, share.core, addresses_of(builds),
                 ExpertRange{.first_expert = share.first, .num_experts = share.count});
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        const auto& out = context.device_outputs;
        return make_program(
            context.arch,
            {in["selected_experts"_in][p], in["routing_weights"_in][p], in["local_experts"_in][p]},
            {out["num_routed_tokens"_out][p], out["routed_tokens"_out][p],
             out["routed_token_weights"_out][p], out["token_idx_map"_out][p]},
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
