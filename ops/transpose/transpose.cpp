// SPDX-License-Identifier: Apache-2.0
#include "ops/transpose/transpose.hpp"

#include <utility>

#include "emu/base/round_up.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"
#include "ops/transpose/kernels/args.hpp"

namespace tessera::ops::transpose {
namespace {

void rules(const OpContext& context, RuleJudge& judge) {
    judge_grid(context.arch, context.params<CopySpec>().grid, judge);
    judge_depth(context.params<CopySpec>().cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[only(kInputs)].spec;
    std::swap(output.shape.back(), output.shape[output.shape.size() - 2]);
    return {{.spec = output}};
}

// Tiles leave a core as those of scale do.
Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<CopySpec>();
    const DeviceTensor& input = context.device_inputs[only(kInputs)][p];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][p];
    const Shape& shape = input.spec.shape;
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, input.spec.num_pages());
    Program program = CreateProgram();
    for (const scale::Cb cb : {scale::Cb::Input, scale::Cb::Output}) {
        add_circular_buffer(program, work.cores, cb, DataFormat::Float16_b,
                            {spec.cb_depth, tile_bytes(DataFormat::Float16_b)});
    }
    // Extents in tiles: each core finds the source of its output tiles by itself.
    const MatrixArgs matrix{.row_tiles = div_up(shape[shape.size() - 2], kTileRows),
                            .column_tiles = div_up(shape.back(), kTileColumns)};
    const scale::ReaderTensors read{.input = &input.buffer};
    const scale::WriterTensors written{.output = &output.buffer};
    const KernelHandle reader = CreateKernel(program, "ops/transpose/kernels/reader.cpp",
                                             work.cores, reader_config(matrix, read));
    // A transposed tile is a copy, so DST needs no 32-bit mode.
    const KernelHandle compute =
        CreateKernel(program, "ops/transpose/kernels/compute.cpp", work.cores, ComputeConfig{});
    const KernelHandle writer = CreateKernel(program, "ops/scale/kernels/writer.cpp", work.cores,
                                             writer_config(NoArgs{}, written));
    for (const WorkShare& share : work.shares) {
        const scale::TileRange range{.first_tile = share.first, .num_tiles = share.count};
        set_args(program, reader, share.core, addresses_of(read), range);
        set_args(program, compute, share.core, scale::TileCount{.num_tiles = share.count});
        set_args(program, writer, share.core, addresses_of(written), range);
    }
    return program;
}

template <class Word>
void transpose_words(const HostTensor& input, HostTensor& output) {
    const std::size_t rows = input.shape[input.shape.size() - 2];
    const std::size_t columns = input.shape.back();
    const auto from = input.as<Word>();
    const auto to = output.as<Word>();
    // Matrices of a stack are transposed one by one.
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t matrix = i / (rows * columns) * rows * columns;
        const std::size_t row = i % (rows * columns) / columns;
        to[matrix + i % columns * rows + row] = from[i];
    }
}

// The values of a chain of references are float32.
std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor input = context.read(only(kInputs));
    HostTensor output = make_host_tensor(context.outputs[only(kOutputs)].spec.shape, input.format);
    if (input.format == DataFormat::Float32) {
        transpose_words<float>(input, output);
    } else {
        transpose_words<std::uint16_t>(input, output);
    }
    return list_of(std::move(output));
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

}  // namespace tessera::ops::transpose
