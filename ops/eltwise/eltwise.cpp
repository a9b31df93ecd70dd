// SPDX-License-Identifier: Apache-2.0
#include "ops/eltwise/eltwise.hpp"

#include <string>
#include <utility>

#include "ops/buffer_room.hpp"
#include "ops/eltwise/kernels/function_code.hpp"
#include "ops/expect_tensor.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::eltwise {
namespace {

constexpr std::uint8_t kInputCbs[] = {0, 1};
constexpr std::uint8_t kOutputCb = 16;

static_assert(static_cast<std::uint32_t>(EltwiseFunction::Min) == kMin);
static_assert(static_cast<std::uint32_t>(EltwiseFunction::Abs) == kAbs);
static_assert(static_cast<std::uint32_t>(EltwiseFunction::Tanh) == kTanh);

bool is_one_of_ours(DataFormat format) {
    return format == DataFormat::Float16_b || format == DataFormat::Bfp8_b ||
           format == DataFormat::Float32;
}

void expect_tiles(std::string_view name, const DeviceTensor& tensor, const Shape& shape) {
    const TensorSpec& spec = tensor.spec;
    require(spec.shape == shape && num_elements(shape) > 0 && spec.layout == Layout::TILE &&
                is_one_of_ours(spec.format),
            "eltwise: {} is {}; it must be {} TILE without an extent of 0, in bfloat16, bfp8_b or "
            "float32",
            name, describe(spec), to_string(shape));
    expect_interleaved("eltwise", name, tensor);
}

void check_inputs(EltwiseFunction function, const Inputs& inputs) {
    require(inputs.tensors.size() == num_inputs(function), "eltwise: {} takes {} tensors, not {}",
            name_of(function), num_inputs(function), inputs.tensors.size());
    const DeviceTensor& a = *inputs.tensors.front();
    expect_tiles("a", a, a.spec.shape);
    for (std::size_t i = 1; i < inputs.tensors.size(); ++i) {
        expect_tensor("eltwise", "b", *inputs.tensors[i], a.spec);
    }
}

void check_schedule(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                    const EltwiseSpec& schedule) {
    require(schedule.tiles_per_push > 0, "eltwise: tiles_per_push is 0; it must be at least 1");
    require(schedule.cb_depth > 0, "eltwise: cb_depth is 0; it must be at least 1");
    std::uint64_t tile = tile_bytes(outputs.output.spec.format);
    for (const DeviceTensor* input : inputs.tensors) {
        tile += tile_bytes(input->spec.format);
        require(input->spec.format != DataFormat::Float32 || schedule.fp32_dest_acc,
                "eltwise: float32 tensors need a 32-bit DST, but fp32_dest_acc is false");
    }
    expect_room("eltwise", arch, tile * schedule.tiles_per_push * schedule.cb_depth);
}

void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index, DataFormat format,
                const EltwiseSpec& schedule) {
    const std::uint32_t page = tile_bytes(format);
    const std::uint32_t size = page * schedule.tiles_per_push * schedule.cb_depth;
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(size, {{index, format}}).set_page_size(index, page));
}

void add_reader(Program& program, const SharedWork& work, const Inputs& inputs,
                const EltwiseSpec& schedule) {
    const Buffer& a = inputs.tensors.front()->buffer;
    const Buffer& b = inputs.tensors.back()->buffer;  // a again if there is one
    std::vector<std::uint32_t> args{static_cast<std::uint32_t>(inputs.tensors.size()),
                                    schedule.tiles_per_push};
    TensorAccessorArgs(a).append_to(args);
    TensorAccessorArgs(b).append_to(args);
    const KernelHandle reader = CreateKernel(program, "ops/eltwise/kernels/reader.cpp", work.cores,
                                             ReaderDataMovementConfig(std::move(args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {a.address, b.address, share.first, share.count});
    }
}

/// The matrix unit adds, subtracts and multiplies, but cuts float32 to TF32.
const char* compute_kernel(EltwiseFunction function, DataFormat format) {
    if (num_inputs(function) == 1) {
        return "ops/eltwise/kernels/vector_unary.cpp";
    }
    const bool has_instruction = function <= EltwiseFunction::Mul;
    return has_instruction && format != DataFormat::Float32
               ? "ops/eltwise/kernels/matrix_binary.cpp"
               : "ops/eltwise/kernels/vector_binary.cpp";
}

std::vector<UnpackToDestMode> unpack_modes(const Inputs& inputs) {
    const bool is_float32 = inputs.tensors.front()->spec.format == DataFormat::Float32;
    return {inputs.tensors.size(),
            is_float32 ? UnpackToDestMode::UnpackToDestFp32 : UnpackToDestMode::Default};
}

void add_compute(Program& program, const SharedWork& work, EltwiseFunction function,
                 const Inputs& inputs, const EltwiseSpec& schedule) {
    const ComputeConfig config{
        .math_fidelity = schedule.math_fidelity,
        .fp32_dest_acc_en = schedule.fp32_dest_acc,
        .unpack_to_dest_mode = unpack_modes(inputs),
        .math_approx_mode = schedule.approximate,
        .compile_args = {static_cast<std::uint32_t>(function), schedule.tiles_per_push,
                         schedule.approximate ? 1U : 0U},
        .defines = {},
        .named_compile_args = {}};
    const KernelHandle compute = CreateKernel(
        program, compute_kernel(function, inputs.tensors.front()->spec.format), work.cores, config);
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {share.count});
    }
}

void add_writer(Program& program, const SharedWork& work, const Buffer& output,
                const EltwiseSpec& schedule) {
    std::vector<std::uint32_t> args{schedule.tiles_per_push};
    TensorAccessorArgs(output).append_to(args);
    const KernelHandle writer = CreateKernel(program, "ops/eltwise/kernels/writer.cpp", work.cores,
                                             WriterDataMovementConfig(std::move(args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, writer, share.core, {output.address, share.first, share.count});
    }
}

}  // namespace

Program make_program(const ArchSpec& arch, EltwiseFunction function, const Inputs& inputs,
                     const Outputs& outputs, const EltwiseSpec& schedule) {
    check_inputs(function, inputs);
    const DeviceTensor& output = outputs.output;
    expect_tiles("output", output, inputs.tensors.front()->spec.shape);
    check_schedule(arch, inputs, outputs, schedule);
    const SharedWork work = share_work("eltwise", arch, schedule.grid, output.spec.num_pages());

    Program program = CreateProgram();
    for (std::size_t i = 0; i < inputs.tensors.size(); ++i) {
        add_buffer(program, work.cores, kInputCbs[i], inputs.tensors[i]->spec.format, schedule);
    }
    add_buffer(program, work.cores, kOutputCb, output.spec.format, schedule);
    add_reader(program, work, inputs, schedule);
    add_compute(program, work, function, inputs, schedule);
    add_writer(program, work, output.buffer, schedule);
    return program;
}

}  // namespace tessera::ops::eltwise
