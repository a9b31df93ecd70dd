// SPDX-License-Identifier: Apache-2.0
// Rows as e2m1 codes with a scale of a byte for 16 or 32 columns: pieces of 1024 columns of a row
// are distributed over the cores.
#include "emu/base/mx_numbers.hpp"
#include "emu/base/round_up.hpp"
#include "ops/quantise/quantise.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

constexpr std::uint32_t kTileRow = kTileColumns;

/// Context from which a program is built.
struct MicroWork {
    MicroArgs args;
    CountedRows counted;
    SharedWork work;
};

MicroWork micro_work(const OpContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    const Shape& shape = context.inputs["input"_in].spec.shape;
    const std::uint32_t columns = shape.back();
    const MicroArgs args{.columns = columns,
                         .pieces = div_up(columns, kMicroPiece),
                         .halves = kTileRow / *micro_block(spec.block)};
    const TensorPlan* counts = context.has("counts"_in) ? &context.inputs["counts"_in] : nullptr;
    return {args, counted_rows(context.arch, shape, counts, spec.counted_by),
            share_work(kSpec.name, context.arch, spec.grid, num_rows(shape) * args.pieces)};
}

void add_micro_buffers(Program& program, const MicroWork& micro, std::uint32_t alignment) {
    const std::uint32_t halves = micro.args.halves;
    const auto add = [&](MicroCb cb, DataFormat format, std::uint32_t tiles) {
        add_circular_buffer(program, micro.work.cores, cb, format, {tiles, tile_bytes(format)});
    };
    add(MicroCb::Rows, DataFormat::Float16_b, 2 * kMicroReads);
    add(MicroCb::Magnitudes, DataFormat::Float16_b, kMicroTurn * halves);
    for (const MicroCb cb : {MicroCb::Values, MicroCb::OtherValues, MicroCb::Codes}) {
        add(cb, DataFormat::Float16_b, kMicroTurn);
    }
    for (const MicroCb cb : {MicroCb::Ones, MicroCb::Pairs}) {
        add(cb, DataFormat::Float16_b, 1);
    }
    // The writer makes the factors of a turn while those of the one before are used.
    add(MicroCb::Largest, DataFormat::Float32, 2 * kMicroTurn * halves);
    mark_steering(program, MicroCb::Largest);
    add(MicroCb::Factors, DataFormat::Float32, 2 * kMicroTurn * halves);
    add(MicroCb::Output, DataFormat::UInt8, 2 * kMicroTurn);
    add_circular_buffer(program, micro.work.cores, MicroCb::Counted, DataFormat::UInt32,
                        {1, alignment});
    mark_steering(program, MicroCb::Counted);
    // The first and the last row of a core may be shared with other cores.
    const std::uint32_t rows = micro.work.shares.front().count / micro.args.pieces + 2;
    const Scratch scratch[]{{MicroCb::ReaderCounts, micro.counted.table_bytes(rows)},
                            {MicroCb::WriterCounts, micro.counted.table_bytes(rows)},
                            {MicroCb::TensorScale, sizeof(float)},
                            {MicroCb::Scales, kMicroTurn * kTileRows * halves}};
    add_scratch(program, micro.work.cores, scratch, alignment);
}

}  // namespace

Program micro_program(const OpContext& context, std::size_t position) {
    const MicroWork micro = micro_work(context);
    const ReaderTensors read{.input = &context.device_inputs["input"_in][position].buffer,
                             .counts = given_input(context, "counts"_in, position)};
    const WriterTensors written{.codes = &context.device_outputs["codes"_out][position].buffer,
                                .scales = &context.device_outputs["scale"_out][position].buffer,
                                .counts = read.counts,
                                .static_scale = given_input(context, "static_scale"_in, position)};
    const CoreRangeSet& cores = micro.work.cores;
    Program program = CreateProgram();
    add_micro_buffers(program, micro, dram_alignment(context.arch));
    // Factors keep their bits; through a source register they would lose 13.
    ComputeConfig config = ops::compute_config(micro.args, {.fp32_dest_acc_en = true});
    unpack_to_fp32(config, MicroCb::Factors);
    const NamedCompileArgs args = named(micro.args, named(micro.counted.args()));
    const KernelHandle reader = CreateKernel(program, "ops/quantise/kernels/micro_reader.cpp",
                                             cores, reader_config(args, read));
    CreateKernel(program, "ops/quantise/kernels/micro_compute.cpp", cores, config);
    const KernelHandle writer = CreateKernel(program, "ops/quantise/kernels/micro_writer.cpp",
                                             cores, writer_config(args, written));
    for (const WorkShare& share : micro.work.shares) {
        const MicroRange range{.first_piece = share.first, .num_pieces = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

std::vector<HostTensor> micro_reference(const ReferenceContext& context,
                                        const std::vector<float>& values) {
    const std::uint32_t each = *micro_block(context.params<QuantiseSpec>().block);
    HostTensor codes = make_host_tensor(context.outputs["codes"_out].spec.shape, DataFormat::UInt8);
    const TensorSpec& spec = context.outputs["scale"_out].spec;
    HostTensor scales = make_host_tensor(spec.shape, spec.format);
    const auto bytes = codes.as<std::uint8_t>();
    const bool is_e8m0 = spec.format == DataFormat::UInt8;
    const float of_tensor = is_e8m0 ? 1.0F : context.read("static_scale"_in).as<float>()[0];
    for (std::size_t block = 0; block * each < values.size(); ++block) {
        const auto own = std::span(values).subspan(block * each, each);
        float largest = 0;
        for (const float value : own) {
            largest = std::max(largest, std::fabs(value));
        }
        // 6 is the largest magnitude of e2m1. Code 0 is not used for a scale: the factor of a block
        // of zeros would be infinite, and its products NaN.
        const std::uint8_t scale =
            is_e8m0 ? e8m0_of_block(largest)
                    : std::max<std::uint8_t>(fp8::code_of(largest / 6.0F / of_tensor), 1);
        const float factor =
            1.0F / (is_e8m0 ? e8m0_to_float(scale) : fp8::value_of(scale) * of_tensor);
        scales.as<std::uint8_t>()[block] = scale;
        for (std::size_t i = 0; i < each; ++i) {
            const std::size_t at = block * each + i;
            bytes[at / 2] = static_cast<std::uint8_t>(
                bytes[at / 2] | e2m1_from_float(own[i] * factor) << (at % 2 * 4));
        }
    }
    return list_of(std::move(codes), std::move(scales));
}

}  // namespace tessera::ops::quantise
