// SPDX-License-Identifier: Apache-2.0
#include "ops/eltwise/eltwise.hpp"

#include <string>
#include <utility>

#include "ops/eltwise/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::eltwise {
namespace {

/// One input, or two of the same shape, format and layout.
struct Inputs {
    std::vector<const DeviceTensor*> tensors;
};

struct Outputs {
    const DeviceTensor& output;  ///< shape and layout of the inputs, any of the formats
};

using config::field;
using config::Limits;

constexpr std::array kInputCbs{Cb::A, Cb::B};

constexpr std::array kFields{
    field<&EltwiseSpec::function>(
        "function", config::kRequired,
        "function of pairs of elements (add to min) or of single elements"),
    field<&EltwiseSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&EltwiseSpec::tiles_per_push>(
        "tiles_per_push", "1", "tiles of one CB push, read with one barrier", Limits{1, 64}),
    field<&EltwiseSpec::cb_depth>("cb_depth", "2", "pushes that each CB holds", kDepth),
    field<&EltwiseSpec::fp32_dest_acc>("fp32_dest_acc", "false",
                                       "32-bit DST; float32 tensors need it"),
    field<&EltwiseSpec::approximate>(
        "approximate", "false",
        "prices faster forms of functions; values are those of the exact forms"),
    field<&EltwiseSpec::math_fidelity>("math_fidelity", "HiFi4",
                                       "mantissa slices that mul multiplies"),
};

/// Returns the bytes that a core's circular buffers take.
std::uint64_t buffer_bytes(const OpContext& context, const EltwiseSpec& schedule) {
    const TensorSpec& a = context.inputs["a"_in].spec;
    const TensorSpec& output = context.outputs.empty() ? a : context.outputs[only(kOutputs)].spec;
    const std::uint64_t tiles =
        context.inputs.size() * tile_bytes(a.format) + tile_bytes(output.format);
    return tiles * schedule.tiles_per_push * schedule.cb_depth;
}

/// The matrix unit adds, subtracts and multiplies, but truncates float32 to TF32.
bool is_for_matrix_unit(EltwiseFunction function, DataFormat format) {
    // The enumeration begins with add, sub and mul, so one comparison finds them.
    return function <= EltwiseFunction::Mul && format != DataFormat::Float32;
}

/// Keys that change nothing with a function: slices of mantissas are of products in the matrix
/// unit, faster forms of functions of one tensor.
std::vector<std::string_view> untaken_by(EltwiseFunction function, DataFormat format) {
    std::vector<std::string_view> untaken;
    if (function != EltwiseFunction::Mul || !is_for_matrix_unit(function, format)) {
        untaken.emplace_back("math_fidelity");
    }
    if (num_inputs(function) == 2) {
        untaken.emplace_back("approximate");
    }
    return untaken;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<EltwiseSpec>();
    const DataFormat format = context.inputs["a"_in].spec.format;
    judge_untaken(kFields, &schedule, untaken_by(schedule.function, format),
                  fmt::format("{} of {}", name_of(schedule.function), name_of(format)), judge);
    const std::uint32_t inputs = num_inputs(schedule.function);
    // The contract has an optional second operand, so only this rule knows the function's number of
    // tensors.
    judge.require(context.inputs.size() == inputs, "function",
                  fmt::format("{} takes {} tensors, not {}", name_of(schedule.function), inputs,
                              context.inputs.size()));
    judge_grid(context.arch, schedule.grid, judge);
    judge.require(schedule.tiles_per_push > 0, "tiles_per_push", "is 0; allowed: at least 1");
    judge_depth(schedule.cb_depth, judge);
    // A 16-bit DST would drop half of each float32 in silence.
    judge.require(
        context.inputs["a"_in].spec.format != DataFormat::Float32 || schedule.fp32_dest_acc,
        "fp32_dest_acc", "is false; allowed: true for float32, which needs a 32-bit DST");
    // Limits of the two keys do not exclude their product: 64 tiles a push at the largest depth
    // exceed L1.
    const std::uint64_t bytes = buffer_bytes(context, schedule);
    judge.require(
        bytes <= buffer_room(context.arch), "tiles_per_push",
        fmt::format("{} with cb_depth {} takes {} B of circular buffers; a core has {} B "
                    "of L1 for them",
                    schedule.tiles_per_push, schedule.cb_depth, bytes, buffer_room(context.arch)));
}

void add_buffer(Program& program, const CoreRangeSet& cores, Cb cb, DataFormat format,
                const EltwiseSpec& schedule) {
    // The depth counts pushes: with two, one is read while compute works on the other.
    add_circular_buffer(program, cores, cb, format,
                        {schedule.tiles_per_push * schedule.cb_depth, tile_bytes(format)});
}

void add_reader(Program& program, const SharedWork& work, const Inputs& inputs,
                const EltwiseSpec& schedule) {
    // The reader has one argument list for both cases. A null buffer replaces b, and the kernel
    // does not use its accessor.
    const ReaderTensors tensors{
        .a = &inputs.tensors["a"_in]->buffer,
        .b = inputs.tensors.size() == 2 ? &inputs.tensors["b"_in]->buffer : nullptr};
    const ReaderArgs args{.num_inputs = static_cast<std::uint32_t>(inputs.tensors.size()),
                          .tiles_per_push = schedule.tiles_per_push};
    const KernelHandle reader = CreateKernel(program, "ops/eltwise/kernels/reader.cpp", work.cores,
                                             reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, reader, share.core,
                 ReaderRange{.a_address = address_of(tensors.a),
                             .b_address = address_of(tensors.b),
                             .first_tile = share.first,
                             .num_tiles = share.count});
    }
}

const char* compute_kernel(EltwiseFunction function, DataFormat format) {
    if (num_inputs(function) == 1) {
        return "ops/eltwise/kernels/vector_unary.cpp";
    }
    return is_for_matrix_unit(function, format) ? "ops/eltwise/kernels/matrix_binary.cpp"
                                                : "ops/eltwise/kernels/vector_binary.cpp";
}

std::vector<UnpackToDestMode> unpack_modes(const Inputs& inputs) {
    // Float32 goes from L1 to DST directly; SrcA would truncate it to TF32.
    const bool is_float32 = inputs.tensors.front()->spec.format == DataFormat::Float32;
    return {inputs.tensors.size(),
            is_float32 ? UnpackToDestMode::UnpackToDestFp32 : UnpackToDestMode::Default};
}

void add_compute(Program& program, const SharedWork& work, const Inputs& inputs,
                 const EltwiseSpec& schedule) {
    // The function is a compile-time argument: a runtime argument would cost a load, and its switch
    // a branch for each tile.
    const ComputeConfig config{.math_fidelity = schedule.math_fidelity,
                               .fp32_dest_acc_en = schedule.fp32_dest_acc,
                               .unpack_to_dest_mode = unpack_modes(inputs),
                               .math_approx_mode = schedule.approximate,
                               .compile_args = {},
                               .defines = {},
                               .named_compile_args = named(ComputeArgs{
                                   .function = static_cast<std::uint32_t>(schedule.function),
                                   .tiles_per_push = schedule.tiles_per_push,
                                   .approximate = schedule.approximate ? 1U : 0U})};
    const KernelHandle compute = CreateKernel(
        program, compute_kernel(schedule.function, inputs.tensors.front()->spec.format), work.cores,
        config);
    for (const WorkShare& share : work.shares) {
        set_args(program, compute, share.core, ComputeRange{.num_tiles = share.count});
    }
}

void add_writer(Program& program, const SharedWork& work, const Buffer& output,
                const EltwiseSpec& schedule) {
    const KernelHandle writer =
        CreateKernel(program, "ops/eltwise/kernels/writer.cpp", work.cores,
                     writer_config(WriterArgs{.tiles_per_push = schedule.tiles_per_push},
                                   WriterTensors{.output = &output}));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core,
                 WriterRange{.output_address = output.address,
                             .first_tile = share.first,
                             .num_tiles = share.count});
    }
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const EltwiseSpec& schedule) {
    const DeviceTensor& output = outputs.output;
    // Elements are independent, so any split of tiles is correct, whatever the shape.
    const SharedWork work = share_work("eltwise", arch, schedule.grid, output.spec.num_pages());

    Program program = CreateProgram();
    for (std::size_t i = 0; i < inputs.tensors.size(); ++i) {
        add_buffer(program, work.cores, kInputCbs[i], inputs.tensors[i]->spec.format, schedule);
    }
    add_buffer(program, work.cores, Cb::Output, output.spec.format, schedule);
    add_reader(program, work, inputs, schedule);
    add_compute(program, work, inputs, schedule);
    add_writer(program, work, output.buffer, schedule);
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        Inputs inputs;
        inputs.tensors.reserve(context.device_inputs.size());
        for (const std::vector<DeviceTensor>& operand : context.device_inputs) {
            inputs.tensors.push_back(&operand[p]);
        }
        return make_program(context.arch, inputs, {context.device_outputs[only(kOutputs)][p]},
                            context.params<EltwiseSpec>());
    });
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<EltwiseSpec>(kFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::eltwise
