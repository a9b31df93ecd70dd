// SPDX-License-Identifier: Apache-2.0
#include "ops/to_block_format/to_block_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/scale/kernels/args.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::to_block_format {
namespace {

using config::field;

constexpr std::size_t kBlockElements = 16;  // elements that share an exponent

constexpr std::array kFields{
    field<&BlockFormatSpec::format>("format", config::kRequired, "format of the output"),
    field<&BlockFormatSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&BlockFormatSpec::cb_depth>("cb_depth", "2", "tiles that each CB holds", kDepth),
};

DataFormat format_of(const BlockFormatSpec& spec) {
    return spec.format == BlockFormat::Bfp8 ? DataFormat::Bfp8_b : DataFormat::Bfp4_b;
}

void rules(const OpContext& context, RuleJudge& judge) {
    judge_grid(context.arch, context.params<BlockFormatSpec>().grid, judge);
    judge_depth(context.params<BlockFormatSpec>().cb_depth, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[only(kInputs)].spec;
    output.format = format_of(context.params<BlockFormatSpec>());
    return {{.spec = output}};
}

// Reads and writes tiles as scale does, one at a time: the packer alone changes the format.
Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<BlockFormatSpec>();
    const DeviceTensor& input = context.device_inputs[only(kInputs)][p];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][p];
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, input.spec.num_pages());
    Program program = CreateProgram();
    for (const auto& [cb, format] : {std::pair{scale::Cb::Input, DataFormat::Float16_b},
                                     std::pair{scale::Cb::Output, output.spec.format}}) {
        add_circular_buffer(program, work.cores, cb, format, {spec.cb_depth, tile_bytes(format)});
    }
    const scale::ReaderTensors read{.input = &input.buffer};
    const scale::WriterTensors written{.output = &output.buffer};
    const KernelHandle reader = CreateKernel(program, "ops/scale/kernels/reader.cpp", work.cores,
                                             reader_config(NoArgs{}, read));
    const KernelHandle compute = CreateKernel(program, "ops/to_block_format/kernels/compute.cpp",
                                              work.cores, ComputeConfig{.fp32_dest_acc_en = true});
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

/// Rounds an element to the exponent of its block, with `bits` of magnitude. Bits under it are cut
/// before the rounding, as the packer does.
float rounded(float value, int exponent, int bits) {
    const int own = std::ilogb(value);
    const auto significand = static_cast<std::uint64_t>(std::ldexp(std::fabs(value), 23 - own));
    // A shift of 31 leaves nothing of 24 bits; more than 63 would be undefined.
    const std::uint64_t kept = significand >> std::min(exponent - own, 31);
    const double units = std::nearbyint(std::ldexp(static_cast<double>(kept), bits - 24));
    // A value that rounds up past its bits stays at the most that they say.
    const double held = std::min(units, std::ldexp(1.0, bits) - 1);
    return static_cast<float>(
        std::copysign(std::ldexp(held, exponent - bits + 1), held == 0 ? 1.0F : value));
}

void round_block(std::span<float> block, int bits) {
    float largest = 0;
    // The largest element sets the exponent, so smaller ones lose bits.
    for (const float value : block) {
        largest = std::max(largest, std::fabs(value));
    }
    for (float& value : block) {
        value = std::fpclassify(value) == FP_NORMAL ? rounded(value, std::ilogb(largest), bits) : 0;
    }
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor input = context.read(only(kInputs));
    HostTensor output = make_host_tensor(input.shape, DataFormat::Float32);
    std::ranges::copy(floats_of(input), output.as<float>().begin());
    const std::size_t width = input.shape.back();
    // bfp8_b has 7 bits of magnitude, bfp4_b 3; the sign has a bit of its own.
    const int bits = context.params<BlockFormatSpec>().format == BlockFormat::Bfp8 ? 7 : 3;
    for (std::size_t first = 0; first < output.as<float>().size(); first += width) {
        // Blocks begin at each 16th column of a row; the last one may have fewer.
        for (std::size_t column = 0; column < width; column += kBlockElements) {
            round_block(output.as<float>().subspan(first + column,
                                                   std::min(kBlockElements, width - column)),
                        bits);
        }
    }
    return list_of(std::move(output));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<BlockFormatSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::to_block_format
