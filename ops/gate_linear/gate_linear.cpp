// SPDX-License-Identifier: Apache-2.0
#include "ops/gate_linear/gate_linear.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "ops/shared/buffer_room.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::gate_linear {
namespace {

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kChunkTiles = 8;  // of K, of one push of rows

// Circular buffers, as the kernels number them.
enum : std::uint8_t { kTokenRows = 0, kExpertRows = 1, kTokens = 2, kExperts = 3, kOut = 16 };

struct Units {
    std::uint32_t k_tiles;
    std::uint32_t chunk;
    std::uint32_t expert_tiles;
    std::uint32_t count;
};

std::uint32_t tiles_of(std::uint32_t elements) {
    return (elements + kTileRows - 1) / kTileRows;
}

Units units_of(const OpContext& context) {
    const Shape& tokens = context.inputs[0].spec.shape;
    const std::uint32_t expert_tiles = tiles_of(context.inputs[1].spec.shape[0]);
    const std::uint32_t k_tiles = tiles_of(tokens[1]);
    return {k_tiles, std::min(kChunkTiles, k_tiles), expert_tiles,
            tiles_of(tokens[0]) * expert_tiles};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<CopySpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge_depth(spec.cb_depth, judge);
    const Units units = units_of(context);
    const std::uint64_t bytes =
        std::uint64_t{2} * kTileBytes * (units.k_tiles + units.chunk * spec.cb_depth) +
        spec.cb_depth * tile_bytes(DataFormat::Float32);
    judge.require(bytes <= buffer_room(context.arch), "hidden_states",
                  fmt::format("with H = {} take {} B of circular buffers; a core has {} B of L1 "
                              "for them",
                              context.inputs[0].spec.shape[1], bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    return {{.spec = {{context.inputs[0].spec.shape[0], context.inputs[1].spec.shape[0]},
                      DataFormat::Float32,
                      Layout::ROW_MAJOR}}};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<CopySpec>();
    const DeviceTensor& tokens = context.device_inputs[0][position];
    const DeviceTensor& experts = context.device_inputs[1][position];
    const DeviceTensor& logits = context.device_outputs[0][position];
    const Units units = units_of(context);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, units.count);

    Program program = CreateProgram();
    const auto add = [&](std::uint8_t index, DataFormat format, std::uint32_t pages) {
        fp8::add_buffer(program, work.cores, index, format, tile_bytes(format), pages);
    };
    add(kTokenRows, DataFormat::Float16_b, units.chunk * spec.cb_depth);
    add(kExpertRows, DataFormat::Float16_b, units.chunk * spec.cb_depth);
    add(kTokens, DataFormat::Float16_b, units.k_tiles);
    add(kExperts, DataFormat::Float16_b, units.k_tiles);
    add(kOut, DataFormat::Float32, spec.cb_depth);
    const std::vector<std::uint32_t> shapes{units.k_tiles,         units.chunk,
                                            units.expert_tiles,    tokens.spec.shape[0],
                                            experts.spec.shape[0], tokens.spec.shape[1]};
    std::vector<std::uint32_t> reading = shapes;
    std::vector<std::uint32_t> writing = shapes;
    std::vector<std::uint32_t> read_from;
    std::vector<std::uint32_t> write_to;
    fp8::append({&tokens.buffer, &experts.buffer}, reading, read_from);
    fp8::append({&logits.buffer}, writing, write_to);
    const KernelHandle reader = CreateKernel(program, "ops/gate_linear/kernels/reader.cpp",
                                             work.cores, ReaderDataMovementConfig(reading));
    const KernelHandle compute =
        CreateKernel(program, "ops/gate_linear/kernels/compute.cpp", work.cores,
                     ComputeConfig{.fp32_dest_acc_en = true, .compile_args = shapes});
    const KernelHandle writer = CreateKernel(program, "ops/gate_linear/kernels/writer.cpp",
                                             work.cores, WriterDataMovementConfig(writing));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {share.first, share.count, read_from[0], read_from[1]});
        SetRuntimeArgs(program, compute, share.core, {share.count});
        SetRuntimeArgs(program, writer, share.core, {share.first, share.count, write_to[0]});
    }
    return program;
}

std::vector<float> floats_of(const HostTensor& tensor) {
    std::vector<float> values(num_elements(tensor.shape));
    read_floats(tensor, 0, values);
    return values;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<float> tokens = floats_of(context.read(0));
    const std::vector<float> weights = floats_of(context.read(1));
    const std::size_t inner = context.in(0).shape()[1];
    HostTensor logits = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    const std::size_t experts = logits.shape[1];
    tbb::parallel_for(std::size_t{0}, std::size_t{logits.shape[0]}, [&](std::size_t token) {
        for (std::size_t expert = 0; expert < experts; ++expert) {
            double sum = 0;
            for (std::size_t k = 0; k < inner; ++k) {
                sum += double{tokens[token * inner + k]} * weights[expert * inner + k];
            }
            logits.as<float>()[token * experts + expert] = static_cast<float>(sum);
        }
    });
    return list_of(std::move(logits));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::gate_linear
