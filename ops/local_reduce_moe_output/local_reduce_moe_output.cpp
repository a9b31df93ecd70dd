// SPDX-License-Identifier: Apache-2.0
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/local_reduce_moe_output/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::local_reduce_moe_output {
namespace {

struct Inputs {
    const DeviceTensor& expert_outputs;
    const DeviceTensor& token_idx_map;
    const DeviceTensor& routed_token_weights;
    const DeviceTensor& num_routed_tokens;
};

struct Outputs {
    const DeviceTensor& local;
};

using config::field;

constexpr const char* kOp = "local_reduce_moe_output";
constexpr std::uint32_t kListBytes = 64 * 1024;  // for the lists of a batch of tokens
constexpr std::uint32_t kContributionBytes = 8;  // row and weight

/// A row is processed as tiles of 1024 consecutive elements: the sum is element-wise, so their
/// order in a tile is arbitrary.
struct Chunks {
    std::uint32_t experts;
    std::uint32_t tokens;
    std::uint32_t row_bytes;
    std::uint32_t row_tiles;
    std::uint32_t chunk_tiles;  ///< tiles of a row that are summed together
    std::uint32_t batch;        ///< tokens whose contributions are listed together
    std::uint32_t count_stride;
};

Chunks make_chunks(const ArchSpec& arch, const TensorSpec& expert_outputs,
                   std::uint32_t most_tokens) {
    const std::uint32_t experts = expert_outputs.shape[0];
    const std::uint32_t row_bytes = expert_outputs.page_size();
    const std::uint32_t row_tiles = div_up(row_bytes, kTileBytes);
    const std::uint32_t list_bytes = experts * kContributionBytes + 4;
    // A chunk fills half of DST, which math owns while the packer empties the other half.
    return {.experts = experts,
            .tokens = expert_outputs.shape[1],
            .row_bytes = row_bytes,
            .row_tiles = row_tiles,
            .chunk_tiles = std::min(row_tiles, arch.dst.tiles_32bit / 2),
            .batch = std::clamp(kListBytes / list_bytes, 1U, most_tokens),
            .count_stride = static_cast<std::uint32_t>(arch.dram.alignment.value)};
}

constexpr std::array kFields{
    field<&LocalReduceSpec::accumulator>(
        "accumulator", "fp32",
        "running sum of a token: fp32, or bf16 after each expert, to nearest even or truncated"),
    field<&LocalReduceSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&LocalReduceSpec::cb_depth>("cb_depth", "2", "token rows in a CB", kDepth),
};

std::string schedule_words(ParameterRef parameters) {
    const auto accumulator = parameters.as<LocalReduceSpec>().accumulator;
    return config::Value<ReduceAccumulator>::show(accumulator);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<LocalReduceSpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& shape = context.inputs["expert_outputs"_in].spec.shape;
    return {{.spec = {{shape[1], shape[2]}, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

void create_buffers(Program& program, const CoreRangeSet& cores, const Chunks& chunks,
                    const LocalReduceSpec& schedule) {
    const auto create = [&](Cb cb, DataFormat format, std::uint32_t page, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, page});
    };
    // Compute sums in DST and pushes chunks. The scalar kernel sums in the buffer itself, so a
    // second chunk would be unused.
    const bool sums_in_dst = schedule.accumulator == ReduceAccumulator::Fp32;
    create(Cb::Rows, DataFormat::Float16_b, kTileBytes, chunks.chunk_tiles * schedule.cb_depth);
    create(Cb::Weights, DataFormat::Float16_b, kTileBytes, schedule.cb_depth);
    create(Cb::Contributions, DataFormat::UInt32, chunks.count_stride, schedule.cb_depth);
    create(Cb::Counts, DataFormat::UInt32, chunks.count_stride, chunks.experts);
    create(Cb::Map, DataFormat::UInt32, kMapEntries * 4, 1);
    create(Cb::MapWeights, DataFormat::Float16_b, kMapEntries * 2, 1);
    create(Cb::Lists, DataFormat::UInt32, chunks.experts * kContributionBytes, chunks.batch);
    create(Cb::Lengths, DataFormat::UInt32, chunks.batch * 4, 1);
    create(Cb::Sum, DataFormat::Float16_b, kTileBytes,
           chunks.chunk_tiles * (sums_in_dst ? schedule.cb_depth : 1));
}

/// Sets the arguments of a kernel: addresses and the core's tokens.
template <class Tensors>
void set_tokens(Program& program, KernelHandle kernel, const SharedWork& work,
                const Tensors& tensors) {
    for (const WorkShare& share : work.shares) {
        set_args(program, kernel, share.core, addresses_of(tensors),
                 TokenRange{.first_token = share.first, .num_tokens = share.count});
    }
}

void create_reader(Program& program, const SharedWork& work, const Inputs& inputs,
                   const Chunks& chunks) {
    const ReaderArgs args{.num_experts = chunks.experts,
                          .num_tokens = chunks.tokens,
                          .row_bytes = chunks.row_bytes,
                          .chunk_tiles = chunks.chunk_tiles,
                          .batch = chunks.batch,
                          .count_stride = chunks.count_stride};
    const ReaderTensors tensors{.rows = &inputs.expert_outputs.buffer,
                                .map = &inputs.token_idx_map.buffer,
                                .weights = &inputs.routed_token_weights.buffer,
                                .counts = &inputs.num_routed_tokens.buffer};
    const KernelHandle reader =
        CreateKernel(program, "ops/local_reduce_moe_output/kernels/reader.cpp", work.cores,
                     reader_config(args, tensors));
    set_tokens(program, reader, work, tensors);
}

/// Stores the sums of compute, or sums by itself in bfloat16.
void create_writer(Program& program, const SharedWork& work, const Outputs& outputs,
                   const Chunks& chunks, ReduceAccumulator accumulator) {
    const WriterArgs args{.row_bytes = chunks.row_bytes, .chunk_tiles = chunks.chunk_tiles};
    const WriterTensors tensors{.output = &outputs.local.buffer};
    if (accumulator == ReduceAccumulator::Fp32) {
        const KernelHandle writer =
            CreateKernel(program, "ops/local_reduce_moe_output/kernels/writer.cpp", work.cores,
                         writer_config(args, tensors));
        return set_tokens(program, writer, work, tensors);
    }
    // The tt-metal kernel keeps bfloat16 and truncates at every step. Truncation and rounding to
    // nearest differ visibly, so both are offered.
    const bool truncates = accumulator == ReduceAccumulator::Bf16Truncate;
    const AccumulatorArgs more{.truncates = truncates ? 1U : 0U};
    const KernelHandle kernel =
        CreateKernel(program, "ops/local_reduce_moe_output/kernels/accumulator.cpp", work.cores,
                     writer_config(named(args, more), tensors));
    set_tokens(program, kernel, work, tensors);
}

void create_compute(Program& program, const SharedWork& work, const Chunks& chunks) {
    ComputeConfig config;
    // At HiFi4 products of two bfloat16 are exact, so only the sum is rounded.
    config.math_fidelity = MathFidelity::HiFi4;
    config.fp32_dest_acc_en = true;
    config.named_compile_args =
        named(ComputeArgs{.row_tiles = chunks.row_tiles, .chunk_tiles = chunks.chunk_tiles});
    const KernelHandle compute = CreateKernel(
        program, "ops/local_reduce_moe_output/kernels/compute.cpp", work.cores, config);
    for (const WorkShare& share : work.shares) {
        set_args(program, compute, share.core, TokenCount{.num_tokens = share.count});
    }
}

void check_values(const ReferenceContext& context) {
    check_lists(kSpec.name, named_table(kInputs, context, "num_routed_tokens"_in),
                named_table(kInputs, context, "token_idx_map"_in),
                context.in("token_idx_map"_in).shape()[1]);
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const LocalReduceSpec& schedule) {
    const TensorSpec& expert_outputs = inputs.expert_outputs.spec;
    const SharedWork work = share_work(kOp, arch, schedule.grid, expert_outputs.shape[1]);
    const Chunks chunks = make_chunks(arch, expert_outputs, work.shares.front().count);

    Program program = CreateProgram();
    create_buffers(program, work.cores, chunks, schedule);
    create_reader(program, work, inputs, chunks);
    create_writer(program, work, outputs, chunks, schedule.accumulator);
    // The scalar forms sum on the writer's RISC; they need no compute kernel.
    if (schedule.accumulator == ReduceAccumulator::Fp32) {
        create_compute(program, work, chunks);
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        return make_program(context.arch,
                            {in["expert_outputs"_in][p], in["token_idx_map"_in][p],
                             in["routed_token_weights"_in][p], in["num_routed_tokens"_in][p]},
                            {context.device_outputs[only(kOutputs)][p]},
                            context.params<LocalReduceSpec>());
    });
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<LocalReduceSpec>(kFields),
        .schedule = [](const OpContext& context) { return schedule_words(context.parameters); },
        .rules = rules,
        .infer = infer,
        .programs = programs,
        .reference = reference,
        .check_values = check_values,
        .checked_inputs = {"token_idx_map"_in, "num_routed_tokens"_in}};
    return kOp;
}

}  // namespace tessera::ops::local_reduce_moe_output
