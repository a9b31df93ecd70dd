// SPDX-License-Identifier: Apache-2.0
// Matrices of tiles, weights: a data-movement core each takes groups of rows of tiles.
#include "ops/quantise/quantise.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

bool is_by_row(ScaleBlock block) {
    return block == ScaleBlock::Row || block == ScaleBlock::Row128;
}

}  // namespace

Program tiles_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    const TensorSpec& codes = context.outputs["codes"_out].spec;
    const Cut cut = cut_of(input, spec.block);
    // By groups of rows of tiles that share their scales; columns of a group stay on one core.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, cut.groups);
    const TilesArgs args{.rows = input.shape[input.shape.size() - 2],
                         .columns = input.shape.back(),
                         .row_tiles = cut.row_tiles,
                         .blocks = cut.blocks,
                         .is_by_row = is_by_row(spec.block) ? 1U : 0U,
                         .rule = static_cast<std::uint32_t>(spec.rule),
                         .codes = static_cast<std::uint32_t>(spec.codes),
                         .code_bytes = tile_bytes(codes.format),
                         .scale_stride = fp8::aligned(cut.blocks * 4)};
    const TilesTensors tensors{.input = &context.device_inputs["input"_in][position].buffer,
                               .codes = &context.device_outputs["codes"_out][position].buffer,
                               .scales = &context.device_outputs["scale"_out][position].buffer};

    Program program = CreateProgram();
    // A scale for each row, or one for the block.
    const std::uint64_t scale_rows = is_by_row(spec.block) ? kTileRows : 1;
    // One tile at a time: the loads and stores of the core take far longer than the reads.
    const Scratch scratch[]{{TileCb::Values, tile_bytes(input.format)},
                            {TileCb::Codes, tile_bytes(codes.format)},
                            {TileCb::Scales, scale_rows * args.scale_stride}};
    add_scratch(program, work.cores, scratch, dram_alignment(context.arch));
    mark_steering(program, TileCb::Values);
    const KernelHandle kernel = CreateKernel(program, "ops/quantise/kernels/tiles.cpp", work.cores,
                                             reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, kernel, share.core, addresses_of(tensors),
                 UnitRange{.first_unit = share.first, .num_units = share.count});
    }
    return program;
}

}  // namespace tessera::ops::quantise
