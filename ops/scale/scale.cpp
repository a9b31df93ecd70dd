// SPDX-License-Identifier: Apache-2.0
#include "ops/scale/scale.hpp"

#include "ops/scale/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::scale {
namespace {

constexpr std::array kFields{
    config::field<&ScaleSpec::factor>("factor", config::kRequired, "factor of each element"),
    config::field<&ScaleSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&ScaleSpec::cb_depth>("cb_depth", "2", "tiles that each CB holds", kDepth),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<ScaleSpec>();
    judge_grid(context.arch, spec.grid, judge);
    // Input and output buffers have the same size.
    const std::uint64_t bytes =
        2 * std::uint64_t{spec.cb_depth} * tile_bytes(DataFormat::Float16_b);
    judge.require(bytes <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              spec.cb_depth, bytes, buffer_room(context.arch)));
}

Program make_program(const OpContext& context, const DeviceTensor& input,
                     const DeviceTensor& output) {
    const auto& spec = context.params<ScaleSpec>();
    const SharedWork work = share_work("scale", context.arch, spec.grid, input.spec.num_pages());
    // The factor is one number for the launch, so it is a compile-time argument as its bits.
    const auto factor = float_word(spec.factor);

    Program program = CreateProgram();
    for (const Cb cb : {Cb::Input, Cb::Output}) {
        add_circular_buffer(program, work.cores, cb, DataFormat::Float16_b,
                            {spec.cb_depth, tile_bytes(DataFormat::Float16_b)});
    }
    const ReaderTensors read{.input = &input.buffer};
    const WriterTensors written{.output = &output.buffer};
    const KernelHandle reader = CreateKernel(program, "ops/scale/kernels/reader.cpp", work.cores,
                                             reader_config(NoArgs{}, read));
    const KernelHandle compute =
        CreateKernel(program, "ops/scale/kernels/compute.cpp", work.cores,
                     compute_config(ComputeArgs{.factor = factor}, {.fp32_dest_acc_en = true}));
    const KernelHandle writer = CreateKernel(program, "ops/scale/kernels/writer.cpp", work.cores,
                                             writer_config(NoArgs{}, written));
    for (const WorkShare& share : work.shares) {
        // Tiles are independent: each core takes a range of them, whatever the shape.
        const TileRange range{.first_tile = share.first, .num_tiles = share.count};
        set_args(program, reader, share.core, addresses_of(read), range);
        set_args(program, compute, share.core, TileCount{.num_tiles = share.count});
        set_args(program, writer, share.core, addresses_of(written), range);
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        return make_program(context, context.device_inputs[only(kInputs)][p],
                            context.device_outputs[only(kOutputs)][p]);
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor input = context.read(only(kInputs));
    // In double and rounded once, so that the comparison covers only the device's own rounding.
    HostTensor output = make_host_tensor(input.shape, DataFormat::Float32);
    const auto values = output.as<float>();
    read_floats(input, 0, values);
    for (float& value : values) {
        value = static_cast<float>(value * context.params<ScaleSpec>().factor);
    }
    return list_of(std::move(output));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<ScaleSpec>(kFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::scale
