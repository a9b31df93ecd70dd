// SPDX-License-Identifier: Apache-2.0
#include "ops/widen_bytes/widen_bytes.hpp"

#include <bit>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "ops/widen_bytes/kernels/args.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::widen_bytes {
namespace {

constexpr std::array kFields{
    config::field<&WidenBytesSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&WidenBytesSpec::cb_depth>("cb_depth", "2", "pieces that each CB holds", kDepth),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<WidenBytesSpec>();
    judge_grid(context.arch, spec.grid, judge);
    const std::uint64_t bytes = std::uint64_t{spec.cb_depth} *
                                (tile_bytes(DataFormat::UInt8) + tile_bytes(DataFormat::Float16_b));
    judge.require(bytes <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              spec.cb_depth, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    output.format = DataFormat::Float16_b;
    return {{.spec = output}};
}

Program make_program(const OpContext& context, const DeviceTensor& input,
                     const DeviceTensor& output) {
    const auto& spec = context.params<WidenBytesSpec>();
    const std::uint32_t columns = row_length(input.spec.shape);
    const PieceArgs args{.columns = columns, .pieces = div_up(columns, kPieceColumns)};
    // Pieces and not rows, so that few rows are work for many cores.
    const SharedWork work =
        share_work(kSpec.name, context.arch, spec.grid, num_rows(input.spec.shape) * args.pieces);
    Program program = CreateProgram();
    for (const auto& [cb, format] :
         {std::pair{Cb::Bytes, DataFormat::UInt8}, std::pair{Cb::Output, DataFormat::Float16_b}}) {
        add_circular_buffer(program, work.cores, cb, format, {spec.cb_depth, tile_bytes(format)});
    }
    const ReaderTensors read{.bytes = &input.buffer};
    const WriterTensors written{.output = &output.buffer};
    const KernelHandle reader = CreateKernel(program, "ops/widen_bytes/kernels/reader.cpp",
                                             work.cores, reader_config(args, read));
    const KernelHandle compute =
        CreateKernel(program, "ops/widen_bytes/kernels/compute.cpp", work.cores,
                     compute_config(NoArgs{}, {.fp32_dest_acc_en = true}));
    const KernelHandle writer = CreateKernel(program, "ops/widen_bytes/kernels/writer.cpp",
                                             work.cores, writer_config(args, written));
    for (const WorkShare& share : work.shares) {
        const PieceRange range{.first_piece = share.first, .num_pieces = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, compute, share.core, PieceCount{.num_pieces = share.count});
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        return make_program(context, context.device_inputs[0][p], context.device_outputs[0][p]);
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor input = context.read(0);
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

LeastWork bound(const BoundContext& context) {
    return row_wise_bytes(context);
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<WidenBytesSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::widen_bytes
