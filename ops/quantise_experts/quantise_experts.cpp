// SPDX-License-Identifier: Apache-2.0
#include "ops/quantise_experts/quantise_experts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/expert_rows/expert_product.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::quantise_experts {
namespace {

using config::field;

// Scratch, as the kernel numbers it.
enum : std::uint8_t { kValues = 0, kCodes = 1, kScales = 2 };

constexpr std::array kFields{
    field<&QuantiseExpertsSpec::scale>("scale", "row", "what shares one: a row, or a matrix"),
    field<&QuantiseExpertsSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Units that have a scale of their own, and the pages of each.
struct Units {
    std::uint32_t count;
    std::uint32_t pages;
    std::uint32_t page_elements;
};

Units units_of(const TensorSpec& input) {
    if (input.layout == Layout::ROW_MAJOR) {
        return {num_rows(input.shape), 1, row_length(input.shape)};
    }
    const std::uint32_t matrices = static_cast<std::uint32_t>(
        num_rows(input.shape) / std::max(input.shape[input.shape.size() - 2], 1U));
    return {matrices, input.num_pages() / matrices, kTileElements};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<QuantiseExpertsSpec>();
    const bool is_tile = context.inputs[0].spec.layout == Layout::TILE;
    judge_grid(context.arch, spec.grid, judge);
    judge.require(is_tile == (spec.scale == Shares::Matrix), "scale",
                  "must be row for rows, matrix for tiles");
    judge.require(!is_tile || context.inputs[0].spec.shape.size() > 1, "input",
                  "must have two extents at least");
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec codes = context.inputs[0].spec;
    codes.format = DataFormat::Fp8_e4m3;
    const Units units = units_of(context.inputs[0].spec);
    return {{.spec = codes}, {.spec = {{units.count, 1}, DataFormat::Float32, Layout::ROW_MAJOR}}};
}

Program make_program(const OpContext& context, std::size_t p) {
    const DeviceTensor& input = context.device_inputs[0][p];
    const DeviceTensor& codes = context.device_outputs[0][p];
    const DeviceTensor& scales = context.device_outputs[1][p];
    const Units units = units_of(input.spec);
    const SharedWork work = share_work(kSpec.name, context.arch,
                                       context.params<QuantiseExpertsSpec>().grid, units.count);
    Program program = CreateProgram();
    const Scratch scratch[]{{kValues, std::uint64_t{2} * units.page_elements},
                            {kCodes, units.page_elements},
                            {kScales, 4}};
    add_scratch(program, work.cores, scratch, dram_alignment(context.arch));
    std::vector<std::uint32_t> args{units.pages, units.page_elements};
    append_accessors({&input, &codes, &scales}, args);
    const KernelHandle kernel = CreateKernel(program, "ops/quantise_experts/kernels/quantise.cpp",
                                             work.cores, ReaderDataMovementConfig(args));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, kernel, share.core,
                       {input.buffer.address, codes.buffer.address, scales.buffer.address,
                        share.first, share.count});
    }
    return program;
}

/// e4m3 by its definition: 3 bits of mantissa, the least exponent −6, 448 the largest.
std::uint8_t e4m3_of(float value) {
    if (std::isnan(value)) {
        return 0x7F;
    }
    const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
    const double magnitude = std::min(std::fabs(static_cast<double>(value)), 448.0);
    const int exponent = magnitude == 0 ? -6 : std::max(std::ilogb(magnitude), -6);
    const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 3 - exponent)));
    // 8 to 16 steps of a normal number: 16 carry into the exponent by themselves.
    const int code = steps < 8 ? steps : (exponent + 6) * 8 + steps;
    return static_cast<std::uint8_t>(sign | std::min(code, 0x7E));
}

/// The rows that share scale `unit`.
std::uint32_t rows_of_unit(const Shape& shape, std::uint32_t units) {
    return num_rows(shape) / units;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor input = context.read(0);
    const std::vector<float> values = floats_of(input);
    const std::uint32_t units = context.outputs[1].spec.shape[0];
    HostTensor codes = make_host_tensor(input.shape, DataFormat::Fp8_e4m3);
    HostTensor scales = make_host_tensor({units, 1}, DataFormat::Float32);
    const std::size_t each =
        std::size_t{rows_of_unit(input.shape, units)} * row_length(input.shape);
    for (std::size_t unit = 0; unit < units; ++unit) {
        float largest = 0x1p-20F;
        for (std::size_t i = unit * each; i < (unit + 1) * each; ++i) {
            largest = std::fabs(values[i]) > largest ? std::fabs(values[i]) : largest;
        }
        const float scale = largest / 448.0F;
        scales.as<float>()[unit] = scale;
        for (std::size_t i = unit * each; i < (unit + 1) * each; ++i) {
            codes.as<std::uint8_t>()[i] = e4m3_of(values[i] / scale);
        }
    }
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(codes));
    outputs.push_back(std::move(scales));
    return outputs;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<QuantiseExpertsSpec>(kFields),
        .rules = rules,
        .infer = infer,
        .programs =
            [](const OpContext& context) {
                return on_each(context, [&](std::size_t p) { return make_program(context, p); });
            },
        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::quantise_experts
