// SPDX-License-Identifier: Apache-2.0
// Matrices of tiles, weights: a data-movement core each takes groups of rows of tiles.
#include "ops/quantise/quantise.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

// Scratch, as the kernel numbers it.
enum : std::uint8_t { kTileValues = 0, kTileCodes = 1, kTileScales = 2 };

}  // namespace

Program tiles_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<QuantiseSpec>();
    const DeviceTensor& input = context.device_inputs[0][position];
    const DeviceTensor& codes = context.device_outputs[0][position];
    const DeviceTensor& scales = context.device_outputs[1][position];
    const Shape& shape = input.spec.shape;
    const std::uint32_t rows = shape[shape.size() - 2];
    const Cut cut = cut_of(input.spec, spec.block);
    const bool is_by_row = spec.block == ScaleBlock::Row || spec.block == ScaleBlock::Row128;
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, cut.groups);
    const std::uint32_t stride = fp8::aligned(cut.blocks * 4);

    Program program = CreateProgram();
    const Scratch scratch[]{{kTileValues, tile_bytes(input.spec.format)},
                            {kTileCodes, tile_bytes(codes.spec.format)},
                            {kTileScales, std::uint64_t{is_by_row ? kTileRows : 1} * stride}};
    add_scratch(program, work.cores, scratch, dram_alignment(context.arch));
    std::vector<std::uint32_t> args{rows,
                                    shape.back(),
                                    cut.row_tiles,
                                    cut.blocks,
                                    is_by_row ? 1U : 0U,
                                    static_cast<std::uint32_t>(spec.rule),
                                    static_cast<std::uint32_t>(spec.codes),
                                    tile_bytes(codes.spec.format),
                                    stride};
    append_accessors({&input, &codes, &scales}, args);
    const KernelHandle kernel = CreateKernel(program, "ops/quantise/kernels/tiles.cpp", work.cores,
                                             ReaderDataMovementConfig(args));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, kernel, share.core,
                       {input.buffer.address, codes.buffer.address, scales.buffer.address,
                        share.first, share.count});
    }
    return program;
}

}  // namespace tessera::ops::quantise
