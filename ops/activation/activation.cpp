// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/activation.hpp"

#include <algorithm>
#include <cmath>

#include "ops/buffer_room.hpp"
#include "ops/fp8_blocks/fp8_blocks.hpp"
#include "ops/host_floats.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::activation {
namespace {

using config::field;

constexpr std::uint32_t kStripTiles = 4;
constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kBuffersRoom = 9 * kStripTiles * tile_bytes(DataFormat::Float32);

// Circular buffers, as the kernels number them.
enum : std::uint8_t { kGateRows = 0, kUpRows = 1, kGate = 2, kUp = 3, kScratch = 4, kOut = 16 };

constexpr std::array kFields{
    field<&RowActivationSpec::function>("function", config::kRequired, "of the gate"),
    field<&RowActivationSpec::gate>(
        "gate", "none", "where a row has the gate; the rest is up, which it multiplies"),
    field<&RowActivationSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

std::string schedule_words(const void* parameters) {
    return config::Value<ActivationFunction>::show(
        static_cast<const RowActivationSpec*>(parameters)->function);
}

struct Rows {
    std::uint32_t count;
    std::uint32_t columns;
};

Rows rows_of(const Shape& shape) {
    return {static_cast<std::uint32_t>(num_elements(shape) / shape.back()), shape.back()};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<RowActivationSpec>();
    judge_grid(context.arch, spec.grid, judge);
    const Rows rows = rows_of(context.inputs[0].spec.shape);
    const bool has_gate = spec.gate != GatePlace::None;
    judge.require(
        !has_gate || rows.columns % 2 == 0, "input",
        fmt::format("has {} columns; a gate and up are as long as each other", rows.columns));
    judge.require(has_gate || spec.function != ActivationFunction::SwigluOai, "gate",
                  "is none; swigluoai has one");
    const std::uint64_t bytes = kBuffersRoom + std::uint64_t{kTileRows} * rows.columns * 2;
    judge.require(bytes <= buffer_room(context.arch), "input",
                  fmt::format("with rows of {} elements takes {} B of L1; a core has {} B",
                              rows.columns, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    Shape shape = context.inputs[0].spec.shape;
    shape.back() /= context.params<RowActivationSpec>().gate == GatePlace::None ? 1 : 2;
    shape.back() = std::max(shape.back(), 1U);
    return {{.spec = {shape, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<RowActivationSpec>();
    const DeviceTensor& input = context.device_inputs[0][position];
    const DeviceTensor& output = context.device_outputs[0][position];
    const Rows rows = rows_of(input.spec.shape);
    const std::uint32_t columns = output.spec.shape.back();
    const std::uint32_t strips = (columns + fp8::kBlock - 1) / fp8::kBlock;
    const std::uint32_t groups = (rows.count + kTileRows - 1) / kTileRows;
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, groups);
    const std::uint32_t row_stride = fp8::aligned(rows.columns * 2);
    const DataFormat format = output.spec.format;

    Program program = CreateProgram();
    const auto add = [&](std::uint8_t index, DataFormat of, std::uint32_t bytes,
                         std::uint32_t pages) {
        fp8::add_buffer(program, work.cores, index, of, bytes, pages);
    };
    for (const std::uint8_t cb : {kGateRows, kUpRows, kGate, kUp}) {
        add(cb, DataFormat::Float16_b, kTileBytes, kStripTiles);
    }
    add(kScratch, DataFormat::Float16_b, row_stride, kTileRows);
    add(kOut, format, tile_bytes(format), 2 * kStripTiles);
    std::vector<std::uint32_t> reading{rows.count, rows.columns, columns, row_stride,
                                       static_cast<std::uint32_t>(spec.gate)};
    std::vector<std::uint32_t> writing{rows.count, columns, element_bytes(format)};
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> to;
    fp8::append({&input.buffer}, reading, from);
    fp8::append({&output.buffer}, writing, to);
    const KernelHandle reader = CreateKernel(program, "ops/activation/kernels/reader.cpp",
                                             work.cores, ReaderDataMovementConfig(reading));
    const KernelHandle compute =
        CreateKernel(program, "ops/activation/kernels/compute.cpp", work.cores,
                     ComputeConfig{.fp32_dest_acc_en = true,
                                   .compile_args = {static_cast<std::uint32_t>(spec.function),
                                                    spec.gate == GatePlace::None ? 0U : 1U}});
    const KernelHandle writer = CreateKernel(program, "ops/fp8_dequantise/kernels/writer.cpp",
                                             work.cores, WriterDataMovementConfig(writing));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core, {share.first, share.count, from[0]});
        SetRuntimeArgs(program, compute, share.core, {share.count * strips});
        SetRuntimeArgs(program, writer, share.core, {share.first, share.count, to[0]});
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

double activated(ActivationFunction function, double x, double up) {
    switch (function) {
        case ActivationFunction::Silu:
            return x * sigmoid(x) * up;
        case ActivationFunction::Gelu:
            return x / 2 * std::erfc(-x * std::sqrt(0.5)) * up;
        case ActivationFunction::GeluTanh:
            return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) * up;
        case ActivationFunction::Relu2:
            return x > 0 ? x * x * up : 0;
        case ActivationFunction::Sigmoid:
            return sigmoid(x) * up;
        case ActivationFunction::SwigluOai: {
            const double gate = std::min(x, 7.0);
            return (std::clamp(up, -7.0, 7.0) + 1) * gate * sigmoid(1.702 * gate);
        }
    }
    return 0;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<RowActivationSpec>();
    const HostTensor input = context.read(0);
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    const std::size_t columns = output.shape.back();
    const std::size_t width = input.shape.back();
    std::vector<float> row(width);
    for (std::size_t i = 0; i < num_elements(output.shape); ++i) {
        const std::size_t column = i % columns;
        if (column == 0) {
            read_floats(input, i / columns * width, row);
        }
        std::size_t gate = column;
        std::size_t up = columns + column;
        if (spec.gate == GatePlace::Second) {
            std::swap(gate, up);
        } else if (spec.gate == GatePlace::Interleaved) {
            gate = 2 * column;
            up = gate + 1;
        }
        const double factor = spec.gate == GatePlace::None ? 1.0 : double{row[up]};
        output.as<float>()[i] = static_cast<float>(activated(spec.function, row[gate], factor));
    }
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(output));
    return outputs;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<RowActivationSpec>(kFields),
                        .schedule = schedule_words,
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::activation
