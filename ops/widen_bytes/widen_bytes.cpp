// SPDX-License-Identifier: Apache-2.0
#include "ops/widen_bytes/widen_bytes.hpp"

#include <bit>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::widen_bytes {
namespace {

constexpr std::array kFields{
    config::field<&WidenBytesSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&WidenBytesSpec::cb_depth>("cb_depth", "2", "pieces that each CB holds", kDepth),
    config::field<&WidenBytesSpec::counted_by>("counted_by", "batches", kCountedByProse),
};

std::vector<CbPlan> int8_buffers(std::uint32_t cb_depth) {
    return {{Cb::Bytes, DataFormat::UInt8, cb_depth},
            {Cb::Output, DataFormat::Float16_b, cb_depth}};
}

/// Scratch for the counts of a core's rows; the first and the last row may be shared with others.
std::uint64_t count_bytes(const PieceWork& pieces) {
    return pieces.counted.table_bytes(pieces.work.shares.front().count / pieces.args.pieces + 2);
}

void judge_scale_rows(const OpContext& context, RuleJudge& judge) {
    if (!context.has("scales"_in)) {
        return;
    }
    const Shape& bytes = context.inputs["bytes"_in].spec.shape;
    const TensorSpec& scales = context.inputs["scales"_in].spec;
    // Two codes of 4 bits share a byte, so the columns of a scale are half as many bytes.
    const std::uint32_t each = scaled_columns(scales.format) / 2;
    judge.require(bytes.back() % each == 0, "bytes",
                  fmt::format("have rows of {} bytes; allowed with scales of {}: multiples of {}",
                              bytes.back(), name_of(scales.format), each));
    const std::uint32_t blocks = bytes.back() / each;
    judge.require(scales.shape.back() == blocks && num_rows(scales.shape) == num_rows(bytes),
                  "scales",
                  fmt::format("are {}; allowed: {} rows of {}", to_string(scales.shape),
                              num_rows(bytes), blocks));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<WidenBytesSpec>();
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    const TensorPlan* counts = context.has("counts"_in) ? &context.inputs["counts"_in] : nullptr;
    judge_counts(
        counted_rows(context.arch, context.inputs["bytes"_in].spec.shape, counts, spec.counted_by),
        counts, judge);
    judge_scale_rows(context, judge);
    const std::uint64_t bytes =
        context.has("scales"_in)
            ? bytes_of(e2m1_buffers(piece_work(context), spec.cb_depth)) + e2m1_split_bytes()
            : bytes_of(int8_buffers(spec.cb_depth));
    judge.require(bytes <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              spec.cb_depth, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["bytes"_in].spec;
    output.format = DataFormat::Float16_b;
    output.shape.back() *= context.has("scales"_in) ? 2 : 1;
    return {{.spec = output}};
}

void add_int8_compute(Program& program, const PieceWork& pieces, std::uint32_t cb_depth) {
    add_circular_buffers(program, pieces.work.cores, int8_buffers(cb_depth));
    CreateKernel(program, "ops/widen_bytes/kernels/compute.cpp", pieces.work.cores,
                 compute_config(NoArgs{}, {.fp32_dest_acc_en = true}));
}

Program make_program(const OpContext& context, std::size_t position) {
    const PieceWork pieces = piece_work(context);
    const bool is_e2m1 = context.has("scales"_in);
    const std::uint32_t depth = context.params<WidenBytesSpec>().cb_depth;
    const auto buffer = [&](std::size_t operand) {
        return context.has(operand) ? &context.device_inputs[operand][position].buffer : nullptr;
    };
    const ReaderTensors read{
        .bytes = buffer("bytes"_in), .counts = buffer("counts"_in), .scales = buffer("scales"_in)};
    const WriterTensors written{.output = &context.device_outputs[only(kOutputs)][position].buffer,
                                .counts = buffer("counts"_in)};
    Program program = CreateProgram();
    (is_e2m1 ? add_e2m1_compute : add_int8_compute)(program, pieces, depth);
    add_circular_buffer(program, pieces.work.cores, Cb::Counted, DataFormat::UInt32,
                        {1, dram_alignment(context.arch)});
    mark_steering(program, Cb::Counted);
    const std::uint32_t scale_bytes = 2 * kPieceBytes / (kTileColumns / pieces.args.halves);
    const Scratch scratch[]{{Cb::ReaderCounts, count_bytes(pieces)},
                            {Cb::WriterCounts, count_bytes(pieces)},
                            {Cb::ScaleCodes, is_e2m1 ? scale_bytes : 1}};
    add_scratch(program, pieces.work.cores, scratch, dram_alignment(context.arch));
    const NamedCompileArgs args = named(pieces.args, named(pieces.counted.args()));
    const std::string folder = "ops/widen_bytes/kernels/" + std::string(is_e2m1 ? "e2m1_" : "");
    const KernelHandle reader =
        CreateKernel(program, folder + "reader.cpp", pieces.work.cores, reader_config(args, read));
    const KernelHandle writer = CreateKernel(program, folder + "writer.cpp", pieces.work.cores,
                                             writer_config(args, written));
    for (const WorkShare& share : pieces.work.shares) {
        const PieceRange range{.first_piece = share.first, .num_pieces = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    if (context.has("scales"_in)) {
        return list_of(e2m1_reference(context));
    }
    const HostTensor input = context.read("bytes"_in);
    HostTensor output = make_host_tensor(input.shape, DataFormat::Float16_b);
    const auto bytes = input.as<std::uint8_t>();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        // Integers to ±128 are exact in bfloat16, so that the upper half is the number.
        const float code = static_cast<float>(bytes[i]) - static_cast<float>(fp8::kByteZero);
        output.as<std::uint16_t>()[i] =
            static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(code) >> 16U);
    }
    return list_of(std::move(output));
}

std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    return {context.has("counts"_in)
                ? counted_flags(num_rows(context.in("bytes"_in).shape()), context.read("counts"_in),
                                context.params<WidenBytesSpec>().counted_by)
                : std::vector<bool>{}};
}

void check_values(const ReferenceContext& context) {
    if (context.has("counts"_in)) {
        check_counted(kSpec.name, named_table(kInputs, context, "counts"_in),
                      num_rows(context.in("bytes"_in).shape()),
                      context.params<WidenBytesSpec>().counted_by);
    }
}

LeastWork bound(const BoundContext& context) {
    // Rows that do not count are not read.
    LeastWork work = operand_bytes(context, {kInputs["bytes"_in].name, kInputs["scales"_in].name});
    const double rows =
        valid_elements(context, only(kOutputs)) / row_length(context.out(only(kOutputs)).shape);
    for (const std::size_t operand : {std::size_t{0}, "scales"_in}) {
        if (context.has(operand) && context.input_plans[operand].memory == BufferType::DRAM) {
            work.dram_bytes += rows * row_length(context.in(operand).shape);
        }
    }
    return work;
}

}  // namespace

PieceWork piece_work(const OpContext& context) {
    const auto& spec = context.params<WidenBytesSpec>();
    const Shape& shape = context.inputs["bytes"_in].spec.shape;
    const std::uint32_t halves =
        context.has("scales"_in)
            ? kTileColumns / scaled_columns(context.inputs["scales"_in].spec.format)
            : 1;
    const PieceArgs args{.row_bytes = row_length(shape),
                         .pieces = div_up(row_length(shape), kPieceBytes),
                         .halves = halves};
    const TensorPlan* counts = context.has("counts"_in) ? &context.inputs["counts"_in] : nullptr;
    // Pieces and not rows, so that few rows are work for many cores.
    return {args, counted_rows(context.arch, shape, counts, spec.counted_by),
            share_work(kSpec.name, context.arch, spec.grid, num_rows(shape) * args.pieces)};
}

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<WidenBytesSpec>(kFields),
                        .schedule =
                            [](const OpContext& context) {
                                return std::string(kSchedules[context.has("scales"_in) ? 1 : 0]);
                            },
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .valid = valid_of_rows(counted),
                        .check_values = check_values,
                        .checked_inputs = {"counts"_in}};
    return kOp;
}

}  // namespace tessera::ops::widen_bytes
