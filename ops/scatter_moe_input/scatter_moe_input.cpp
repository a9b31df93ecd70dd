// SPDX-License-Identifier: Apache-2.0
#include "ops/scatter_moe_input/scatter_moe_input.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/expert_rows/tables.hpp"
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
constexpr std::uint32_t kIndexEntries = 512;   // of routed_tokens, read at a time

// Circular buffers, as the kernels number them.
enum : std::uint8_t { kRows = 0, kIndices = 1, kReaderCount = 2, kWriterCount = 3, kZeros = 4 };

/// How rows travel through the circular buffer.
struct Pieces {
    std::uint32_t row_bytes;
    std::uint32_t piece_bytes;  ///< a row is cut into pieces of this length and a rest
    std::uint32_t page_bytes;   ///< a piece, aligned for reads from DRAM
    std::uint32_t block;        ///< pages handed over at once
    std::uint32_t depth;        ///< pages of the circular buffer
};

Pieces make_pieces(std::uint32_t row_bytes, std::uint32_t alignment, std::uint32_t cb_depth) {
    const std::uint32_t piece = std::min(row_bytes, kLongestPiece);
    // Two halves, so that one fills while the other drains; pushes must divide the buffer.
    const std::uint32_t block = cb_depth % 2 == 0 ? cb_depth / 2 : 1;
    return {row_bytes, piece, round_up(piece, alignment), block, cb_depth};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& hidden = context.inputs[0].spec.shape;
    const std::uint32_t experts = context.inputs[2].spec.shape[0];
    return {{.spec = {{experts, hidden[0], hidden[1]}, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

void create_buffers(Program& program, const CoreRangeSet& cores, const Pieces& pieces,
                    std::uint32_t alignment) {
    const auto create = [&](std::uint8_t index, DataFormat format, std::uint32_t page,
                            std::uint32_t pages) {
        CreateCircularBuffer(
            program, cores,
            CircularBufferConfig(page * pages, {{index, format}}).set_page_size(index, page));
    };
    // Rows pass through one buffer; the reader copies nothing, so that a piece is read and written
    // once.
    create(kRows, DataFormat::Float16_b, pieces.page_bytes, pieces.depth);
    create(kIndices, DataFormat::UInt32, kIndexEntries * 4, 1);
    create(kReaderCount, DataFormat::UInt32, alignment, 1);
    create(kWriterCount, DataFormat::UInt32, alignment, 1);
    // One piece of zeros serves every row without a token.
    create(kZeros, DataFormat::Float16_b, pieces.page_bytes, 1);
}

KernelHandle create_reader(Program& program, const CoreRangeSet& cores, const Inputs& inputs,
                           const Pieces& pieces) {
    const std::uint32_t tokens = inputs.hidden_states.spec.shape[0];
    std::vector<std::uint32_t> args = {tokens, pieces.row_bytes, pieces.piece_bytes,
                                       pieces.page_bytes, pieces.block};
    TensorAccessorArgs(inputs.hidden_states.buffer).append_to(args);
    TensorAccessorArgs(inputs.num_routed_tokens.buffer).append_to(args);
    TensorAccessorArgs(inputs.routed_tokens.buffer).append_to(args);
    return CreateKernel(program, "ops/scatter_moe_input/kernels/reader.cpp", cores,
                        ReaderDataMovementConfig(args));
}

KernelHandle create_writer(Program& program, const CoreRangeSet& cores, const Inputs& inputs,
                           const Outputs& outputs, const Pieces& pieces) {
    const std::uint32_t tokens = inputs.hidden_states.spec.shape[0];
    std::vector<std::uint32_t> args = {tokens, pieces.row_bytes, pieces.piece_bytes,
                                       pieces.page_bytes, pieces.block};
    TensorAccessorArgs(inputs.num_routed_tokens.buffer).append_to(args);
    TensorAccessorArgs(outputs.scattered.buffer).append_to(args);
    return CreateKernel(program, "ops/scatter_moe_input/kernels/writer.cpp", cores,
                        WriterDataMovementConfig(args));
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    const TensorSpec& scattered = outputs.scattered.spec;
    const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
    const Pieces pieces = make_pieces(scattered.page_size(), alignment, schedule.cb_depth);
    // Rows of all experts are split alike: which of them hold tokens is known on the device only.
    const SharedWork work = share_work(kOp, arch, schedule.grid, scattered.num_pages());

    Program program = CreateProgram();
    create_buffers(program, work.cores, pieces, alignment);
    const KernelHandle reader = create_reader(program, work.cores, inputs, pieces);
    const KernelHandle writer = create_writer(program, work.cores, inputs, outputs, pieces);
    const std::uint32_t counts = inputs.num_routed_tokens.buffer.address;
    // Reader and writer take the same rows; each reads the counts by itself.
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {inputs.hidden_states.buffer.address, counts,
                        inputs.routed_tokens.buffer.address, share.first, share.count});
        SetRuntimeArgs(program, writer, share.core,
                       {counts, outputs.scattered.buffer.address, share.first, share.count});
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        return make_program(context.arch, {in[0][p], in[1][p], in[2][p]},
                            {context.device_outputs[0][p]}, context.params<CopySpec>());
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
                        .check_values =
                            [](const ReferenceContext& context) {
                                check_lists(kSpec.name, {kInputs[1].name, context.read(1)},
                                            {kInputs[2].name, context.read(2)},
                                            context.in(0).shape()[0]);
                            },
                        .checked_inputs = {1, 2}};
    return kOp;
}

}  // namespace tessera::ops::scatter_moe_input
