// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_finalize/moe_finalize.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "emu/base/bf16.hpp"
#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/moe_finalize/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::moe_finalize {
namespace {

/// A row goes through the cores as tiles of 1024 consecutive elements: the sum looks at each
/// element alone, so their order inside a tile is free.
struct Chunks {
    std::uint32_t row_bytes;
    std::uint32_t row_tiles;
    std::uint32_t chunk_tiles;  ///< tiles of a row that are summed together
    std::uint32_t top_k;
    std::uint32_t table_bytes;  ///< indices of a core's tokens, from an aligned start
};

// Returns chunks of half of DST, which math owns while the packer empties the other half.
Chunks chunks_of(const OpContext& context, std::uint32_t most_tokens) {
    const std::uint32_t row_bytes = context.inputs["rows"_in].spec.page_size();
    const std::uint32_t row_tiles = div_up(row_bytes, kTileBytes);
    const std::uint32_t top_k = context.inputs["expert_weights"_in].spec.shape[1];
    return {.row_bytes = row_bytes,
            .row_tiles = row_tiles,
            .chunk_tiles = std::min(row_tiles, context.arch.dst.tiles_32bit / 2),
            .top_k = top_k,
            .table_bytes = fp8::aligned(most_tokens * top_k * 4) + fp8::aligned(1)};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<CopySpec>();
    judge_depth(spec.cb_depth, judge);
    const Shape& weights = context.inputs["expert_weights"_in].spec.shape;
    const std::uint32_t indices = context.inputs["expanded_idx_to_permuted_idx"_in].spec.shape[0];
    judge.require(indices == weights[0] * weights[1], "expanded_idx_to_permuted_idx",
                  fmt::format("has {} entries; {} tokens of {} experts have {}", indices,
                              weights[0], weights[1], weights[0] * weights[1]));
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, weights[0]);
    const std::uint64_t bytes = chunks_of(context, work.shares.front().count).table_bytes;
    // 64 KiB are left for the rows and the sums, whose buffers do not grow with the tokens.
    judge.require(
        bytes + 64 * 1024 <= buffer_room(context.arch), "grid",
        fmt::format("leaves {} tokens to a core, whose indices take {} B of L1; there "
                    "are {} B for them",
                    work.shares.front().count, bytes, buffer_room(context.arch) - 64 * 1024));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    return {{.spec = {{context.inputs["expert_weights"_in].spec.shape[0],
                       context.inputs["rows"_in].spec.shape[1]},
                      DataFormat::Float16_b,
                      Layout::ROW_MAJOR}}};
}

void add_buffers(Program& program, const CoreRangeSet& cores, const Chunks& chunks,
                 DataFormat output, std::uint32_t depth) {
    const auto add = [&](Cb cb, DataFormat format, std::uint32_t bytes, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, bytes});
    };
    add(Cb::Rows, DataFormat::Float16_b, kTileBytes, chunks.chunk_tiles * depth);
    add(Cb::Weights, DataFormat::Float16_b, kTileBytes, depth);
    add(Cb::Contributions, DataFormat::UInt32, 64, depth);
    add(Cb::Table, DataFormat::UInt32, chunks.table_bytes, 1);
    add(Cb::TokenWeights, DataFormat::Float16_b, fp8::aligned(chunks.top_k * 4), 1);
    add(Cb::Sum, output, tile_bytes(output), chunks.chunk_tiles * depth);
}

void add_reader(Program& program, const SharedWork& work, const OpContext& context,
                std::size_t position, const Chunks& chunks) {
    const auto in = [&](std::size_t i) { return &context.device_inputs[i][position].buffer; };
    const ReaderTensors tensors{.rows = in("rows"_in),
                                .table = in("expanded_idx_to_permuted_idx"_in),
                                .weights = in("expert_weights"_in)};
    const ReaderArgs args{
        .row_bytes = chunks.row_bytes,
        .chunk_tiles = chunks.chunk_tiles,
        .top_k = chunks.top_k,
        .weight_bytes = element_bytes(context.inputs["expert_weights"_in].spec.format)};
    const KernelHandle reader = CreateKernel(program, "ops/moe_finalize/kernels/reader.cpp",
                                             work.cores, reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, reader, share.core, addresses_of(tensors),
                 TokenRange{.first_token = share.first, .num_tokens = share.count});
    }
}

void add_compute(Program& program, const SharedWork& work, const Chunks& chunks) {
    const local_reduce_moe_output::ComputeArgs args{.row_tiles = chunks.row_tiles,
                                                    .chunk_tiles = chunks.chunk_tiles};
    // The weighted sum of rows is local_reduce_moe_output's. Its compute kernel is used as it is,
    // and the buffers have its numbers.
    const KernelHandle compute =
        CreateKernel(program, "ops/local_reduce_moe_output/kernels/compute.cpp", work.cores,
                     ComputeConfig{.fp32_dest_acc_en = true,
                                   .compile_args = {},
                                   .defines = {},
                                   .named_compile_args = named(args)});
    for (const WorkShare& share : work.shares) {
        set_args(program, compute, share.core,
                 local_reduce_moe_output::TokenCount{.num_tokens = share.count});
    }
}

void add_writer(Program& program, const SharedWork& work, const DeviceTensor& output,
                const Chunks& chunks) {
    const WriterTensors tensors{.output = &output.buffer};
    const WriterArgs args{.row_bytes = output.spec.page_size(), .chunk_tiles = chunks.chunk_tiles};
    const KernelHandle writer = CreateKernel(program, "ops/moe_finalize/kernels/writer.cpp",
                                             work.cores, writer_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core, addresses_of(tensors),
                 TokenRange{.first_token = share.first, .num_tokens = share.count});
    }
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<CopySpec>();
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid,
                                       context.inputs["expert_weights"_in].spec.shape[0]);
    const Chunks chunks = chunks_of(context, work.shares.front().count);

    Program program = CreateProgram();
    add_buffers(program, work.cores, chunks, output.spec.format, spec.cb_depth);
    add_reader(program, work, context, position, chunks);
    add_compute(program, work, chunks);
    add_writer(program, work, output, chunks);
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor rows = context.read("rows"_in);
    const HostTensor indices = context.read("expanded_idx_to_permuted_idx"_in);
    const HostTensor weights = context.read("expert_weights"_in);
    const std::size_t top_k = weights.shape[1];
    const std::size_t hidden = rows.shape[1];
    HostTensor output = make_host_tensor({weights.shape[0], rows.shape[1]}, DataFormat::Float32);
    tbb::parallel_for(std::size_t{0}, std::size_t{weights.shape[0]}, [&](std::size_t token) {
        std::vector<float> row(hidden);
        std::vector<double> sums(hidden);
        for (std::size_t i = token * top_k; i < (token + 1) * top_k; ++i) {
            const std::int32_t place = indices.as<std::int32_t>()[i];
            // -1: the expert is on another device, whose finalize adds its row.
            if (place < 0) {
                continue;
            }
            read_floats(rows, static_cast<std::size_t>(place) * hidden, row);
            // Weights are bfloat16, as the published runner has them; the sum is compared in
            // double.
            const double weight = bf16_to_float(weights.format == DataFormat::Float32
                                                    ? float_to_bf16(weights.as<float>()[i])
                                                    : weights.as<std::uint16_t>()[i]);
            for (std::size_t h = 0; h < hidden; ++h) {
                sums[h] += weight * row[h];
            }
        }
        std::ranges::transform(sums, output.as<float>().subspan(token * hidden, hidden).begin(),
                               [](double sum) { return static_cast<float>(sum); });
    });
    return list_of(std::move(output));
}

void check_values(const ReferenceContext& context) {
    // Only the table steers reads; rows and weights may have any value.
    check_indices(kSpec.name, named_table(kInputs, context, "expanded_idx_to_permuted_idx"_in),
                  context.in("rows"_in).shape()[0], Nobody::Allowed);
}

LeastWork bound(const BoundContext& context) {
    // Only rows that the index names belong to a token of this device.
    LeastWork work = operand_bytes(context, {"rows", "expert_weights"});
    const TensorSpec& rows = context.in("rows"_in);
    work.dram_bytes += bytes_of_elements(
        num_present(context, "expanded_idx_to_permuted_idx"_in) * rows.shape.back(), rows.format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {"expanded_idx_to_permuted_idx"_in}};
    return kOp;
}

}  // namespace tessera::ops::moe_finalize
