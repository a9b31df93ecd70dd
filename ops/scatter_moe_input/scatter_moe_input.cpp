// SPDX-License-Identifier: Apache-2.0
#include "ops/scatter_moe_input/scatter_moe_input.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/scatter_moe_input/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::scatter_moe_input {
namespace {

/// All on one device, ROW_MAJOR, E/D being the experts of the device.
struct Inputs {
    const DeviceTensor& hidden_states;      ///< (T,H) bfloat16
    const DeviceTensor& num_routed_tokens;  ///< (E/D,1) uint32
    const DeviceTensor& routed_tokens;      ///< (E/D,T) uint32; entries past the count are ignored
};

struct Outputs {
    const DeviceTensor& scattered;  ///< (E/D,T,H) bfloat16
};

constexpr const char* kOp = "scatter_moe_input";
constexpr std::uint32_t kLongestPiece = 8192;  // bytes: one packet of the smaller NoC

PieceArgs make_pieces(const TensorSpec& scattered, std::uint32_t alignment,
                      std::uint32_t cb_depth) {
    const std::uint32_t piece = std::min(scattered.page_size(), kLongestPiece);
    return {.num_tokens = scattered.shape[1],
            .row_bytes = scattered.page_size(),
            .piece_bytes = piece,
            .page_bytes = round_up(piece, alignment),
            // Two halves, so that one fills while the other drains; pushes must divide the buffer.
            .block = cb_depth % 2 == 0 ? cb_depth / 2 : 1};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& hidden = context.inputs["hidden_states"_in].spec.shape;
    const std::uint32_t experts = context.inputs["routed_tokens"_in].spec.shape[0];
    return {{.spec = {{experts, hidden[0], hidden[1]}, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

void create_buffers(Program& program, const CoreRangeSet& cores, std::uint32_t page_bytes,
                    std::uint32_t alignment, std::uint32_t cb_depth) {
    const auto add = [&](Cb cb, DataFormat format, CbSize size) {
        add_circular_buffer(program, cores, cb, format, size);
    };
    // Rows pass through one buffer; the reader copies nothing, so a piece is read and written once.
    add(Cb::Rows, DataFormat::Float16_b, {cb_depth, page_bytes});
    add(Cb::Indices, DataFormat::UInt32, {1, kIndexEntries * 4});
    add(Cb::ReaderCount, DataFormat::UInt32, {1, alignment});
    add(Cb::WriterCount, DataFormat::UInt32, {1, alignment});
    // One piece of zeros serves every row without a token.
    add(Cb::Zeros, DataFormat::Float16_b, {1, page_bytes});
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    const TensorSpec& scattered = outputs.scattered.spec;
    const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
    const PieceArgs pieces = make_pieces(scattered, alignment, schedule.cb_depth);
    // Rows of all experts are split in the same way: only the device knows which of them hold
    // tokens.
    const SharedWork work = share_work(kOp, arch, schedule.grid, scattered.num_pages());

    Program program = CreateProgram();
    create_buffers(program, work.cores, pieces.page_bytes, alignment, schedule.cb_depth);
    const ReaderTensors reads{.hidden = &inputs.hidden_states.buffer,
                              .counts = &inputs.num_routed_tokens.buffer,
                              .routed = &inputs.routed_tokens.buffer};
    const WriterTensors writes{.counts = &inputs.num_routed_tokens.buffer,
                               .output = &outputs.scattered.buffer};
    const KernelHandle reader = CreateKernel(program, "ops/scatter_moe_input/kernels/reader.cpp",
                                             work.cores, reader_config(pieces, reads));
    const KernelHandle writer = CreateKernel(program, "ops/scatter_moe_input/kernels/writer.cpp",
                                             work.cores, writer_config(pieces, writes));
    // Reader and writer take the same rows; each reads the counts by itself.
    for (const WorkShare& share : work.shares) {
        const RowRange rows{.first_row = share.first, .num_rows = share.count};
        set_args(program, reader, share.core, addresses_of(reads), rows);
        set_args(program, writer, share.core, addresses_of(writes), rows);
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        return make_program(
            context.arch,
            {in["hidden_states"_in][p], in["num_routed_tokens"_in][p], in["routed_tokens"_in][p]},
            {context.device_outputs[only(kOutputs)][p]}, context.params<CopySpec>());
    });
}

LeastWork bound(const BoundContext& context) {
    // Tokens without an expert on this device are not read.
    return operand_bytes(context, {"hidden_states"});
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .check_values =
                            [](const ReferenceContext& context) {
                                check_lists(kSpec.name,
                                            named_table(kInputs, context, "num_routed_tokens"_in),
                                            named_table(kInputs, context, "routed_tokens"_in),
                                            context.in("hidden_states"_in).shape()[0]);
                            },
                        .checked_inputs = {"num_routed_tokens"_in, "routed_tokens"_in}};
    return kOp;
}

}  // namespace tessera::ops::scatter_moe_input
