// SPDX-License-Identifier: Apache-2.0
// Rows through the vector unit: 32 rows and 128 columns at a time.
#include <algorithm>
#include <bit>

#include "emu/base/round_up.hpp"
#include "ops/quantise/quantise.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

constexpr std::uint32_t kStripTiles = fp8::kBlock / kTileColumns;
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

/// Context from which a program is built.
struct RowWork {
    const QuantiseSpec& spec;
    TensorSpec input;
    Cut cut;
    CountedRows counted;
    SharedWork work;
};

RowWork row_work(const OpContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    const Cut cut = cut_of(input, spec.block);
    const TensorPlan* counts = context.has("counts"_in) ? &context.inputs["counts"_in] : nullptr;
    return {spec, input, cut, counted_rows(context.arch, input.shape, counts, spec.counted_by),
            share_work(kSpec.name, context.arch, spec.grid, cut.groups)};
}

std::uint64_t table_bytes(const RowWork& rows) {
    return rows.counted.table_bytes(rows.work.shares.front().count * rows.cut.row_tiles *
                                    kTileRows);
}

void add_buffers(Program& program, const RowWork& rows, DataFormat output,
                 std::uint32_t alignment) {
    const auto add = [&](Cb cb, DataFormat of, std::uint32_t bytes, std::uint32_t pages) {
        add_circular_buffer(program, rows.work.cores, cb, of, {pages, bytes});
    };
    const DataFormat format = rows.input.format;
    add(Cb::Rows, format, tile_bytes(format), 2 * kStripTiles);
    // fp32, so that neither input format is rounded before the codes are made.
    add(Cb::Values, DataFormat::Float32, kFloatTile, rows.cut.strips * kStripTiles);
    add(Cb::Largest, DataFormat::Float32, kFloatTile, 2);
    mark_steering(program, Cb::Largest);
    add(Cb::Scale, DataFormat::Float32, kFloatTile, 1);
    add(Cb::Output, output, tile_bytes(output), 2 * kStripTiles);
    // A row of scales for each of 32 rows: they are stored when the group is done.
    add(Cb::Scales, DataFormat::UInt32, fp8::aligned(rows.cut.blocks * 4), kTileRows);
    const Scratch scratch[]{{Cb::ReaderCounts, table_bytes(rows)},
                            {Cb::WriterCounts, table_bytes(rows)}};
    add_scratch(program, rows.work.cores, scratch, alignment);
}

ReaderArgs reader_args(const RowWork& rows) {
    return {.columns = rows.input.shape.back(),
            .element_bytes = element_bytes(rows.input.format),
            .row_tiles = rows.cut.row_tiles};
}

WriterArgs writer_args(const RowWork& rows, DataFormat codes) {
    return {.columns = rows.input.shape.back(),
            .block = static_cast<std::uint32_t>(rows.spec.block),
            .row_tiles = rows.cut.row_tiles,
            .rule = static_cast<std::uint32_t>(rows.spec.rule),
            .scale_stride = fp8::aligned(rows.cut.blocks * 4),
            .scale_bytes = rows.cut.blocks * 4,
            .code_bytes = element_bytes(codes),
            .most_bits = std::bit_cast<std::uint32_t>(largest_code(rows.spec.codes))};
}

}  // namespace

// The form in which the kernel scales: a division, a product with the reciprocal, or rounding to
// integers.
fp8::CodeForm form_of(const QuantiseSpec& spec) {
    if (spec.codes != Codes::Fp8E4m3) {
        return spec.codes == Codes::Int8Bytes ? fp8::CodeForm::Bytes : fp8::CodeForm::Round;
    }
    return spec.rule == ScaleRule::PerToken ? fp8::CodeForm::Multiply : fp8::CodeForm::Divide;
}

ComputeConfig compute_config(const QuantiseSpec& spec, std::uint32_t strips) {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    config.named_compile_args =
        named(ComputeArgs{.strips = strips, .form = index_of(form_of(spec))});
    config.unpack_to_dest_mode.assign(index_of(Cb::Scale) + 1U, UnpackToDestMode::Default);
    // Values and scales pass to DST unrounded.
    for (const Cb cb : {Cb::Rows, Cb::Values, Cb::Scale}) {
        config.unpack_to_dest_mode[index_of(cb)] = UnpackToDestMode::UnpackToDestFp32;
    }
    return config;
}

void judge_rows_room(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    const Cut cut = cut_of(input, spec.block);
    const std::uint32_t strips = spec.block == ScaleBlock::Tensor ? 1
                                 : is_in_pieces(spec.block)
                                     ? 2 * strips_of_pieces(input, spec.block)
                                     : cut.strips;
    // Two strips each of rows and output, one of scales, largest magnitudes and ones: six.
    const std::uint64_t bytes = (std::uint64_t{strips} + 6) * kStripTiles * kFloatTile +
                                std::uint64_t{kTileRows} * fp8::aligned(cut.blocks * 4);
    judge.require(bytes <= buffer_room(context.arch), "input",
                  fmt::format("with rows of {} elements takes {} B of circular buffers; a core has "
                              "{} B of L1 for them",
                              input.shape.back(), bytes, buffer_room(context.arch)));
}

Program rows_program(const OpContext& context, std::size_t position) {
    const RowWork rows = row_work(context);
    const DeviceTensor& codes = context.device_outputs["codes"_out][position];
    const ReaderTensors read{.input = &context.device_inputs["input"_in][position].buffer,
                             .counts = given_input(context, "counts"_in, position)};
    const WriterTensors written{.codes = &codes.buffer,
                                .scales = &context.device_outputs["scale"_out][position].buffer,
                                .counts = read.counts};
    const CoreRangeSet& cores = rows.work.cores;
    Program program = CreateProgram();
    add_buffers(program, rows, codes.spec.format, dram_alignment(context.arch));
    // Reader and writer count alike, from the same table.
    const NamedCompileArgs counted = named(rows.counted.args());
    const KernelHandle reader =
        CreateKernel(program, "ops/quantise/kernels/reader.cpp", cores,
                     reader_config(named(reader_args(rows), counted), read));
    const KernelHandle compute = CreateKernel(program, "ops/quantise/kernels/compute.cpp", cores,
                                              compute_config(rows.spec, rows.cut.strips));
    const WriterArgs own = writer_args(rows, codes.spec.format);
    const KernelHandle writer = CreateKernel(program, "ops/quantise/kernels/writer.cpp", cores,
                                             writer_config(named(own, counted), written));
    for (const WorkShare& share : rows.work.shares) {
        const GroupRange range{.first_group = share.first, .num_groups = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, compute, share.core,
                 BlockCount{.num_blocks = share.count * rows.cut.blocks});
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

}  // namespace tessera::ops::quantise
