// SPDX-License-Identifier: Apache-2.0
#include "ops/hadamard/hadamard.hpp"

#include <bit>
#include <cmath>

#include "ops/hadamard/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::hadamard {
namespace {

constexpr std::array kFields{
    config::field<&RowsSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};
/// The matrix: a strip of tiles for each tile of K.
const std::vector<StripBuffer> kBuffers{
    {index_of(Cb::Matrix), DataFormat::Float16_b, kStripTiles* kStripTiles}};

void rules(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& input = context.inputs[only(kInputs)].spec;
    const std::uint32_t columns = row_length(input.shape);
    judge_row_strips(context.arch, context.params<RowsSpec>().grid, input, bytes_of(kBuffers),
                     judge);
    // The matrix has entries of +1 and -1 for powers of two only; larger rows would not fit one
    // strip.
    judge.require(std::has_single_bit(columns) && columns <= kStripColumns, "input",
                  fmt::format("has rows of {} elements; allowed: a power of two up to {}", columns,
                              kStripColumns));
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor& input = context.device_inputs[only(kInputs)][p];
        // Orthogonal with this factor: without quantisation the transform changes no product of two
        // rows.
        const auto factor = static_cast<float>(1 / std::sqrt(row_length(input.spec.shape)));
        return row_strips_program(
            kSpec.name, context.arch,
            {.input = input,
             .output = context.device_outputs[only(kOutputs)][p],
             .compute = "ops/hadamard/kernels/compute.cpp",
             .compute_args = named(ComputeArgs{.factor = std::bit_cast<std::uint32_t>(factor)}),
             .reader = "ops/hadamard/kernels/reader.cpp",
             .buffers = kBuffers},
            context.params<RowsSpec>().grid);
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    return {for_each_row(context.read(only(kInputs)), [](std::size_t, std::vector<double>& values) {
        const std::vector<double> input = values;
        for (std::size_t c = 0; c < values.size(); ++c) {
            double sum = 0;
            for (std::size_t k = 0; k < input.size(); ++k) {
                // Entry (k, c) is -1 if k and c share an odd number of bits, which needs no
                // recursion.
                sum += std::popcount(k & c) % 2 == 0 ? input[k] : -input[k];
            }
            values[c] = sum / std::sqrt(static_cast<double>(input.size()));
        }
    })};
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<RowsSpec>(kFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::hadamard
