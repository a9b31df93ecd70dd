// SPDX-License-Identifier: Apache-2.0
// Rows of e2m1 codes with scales of 16 or 32 columns.
#include <bit>

#include "emu/base/mx_numbers.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/widen_bytes/widen_bytes.hpp"

namespace tessera::ops::widen_bytes {
namespace {

constexpr std::uint32_t kWordTile = tile_bytes(DataFormat::UInt32);
constexpr std::uint32_t kByteTile = tile_bytes(DataFormat::UInt8);
constexpr std::uint32_t kSplitTiles = 2;  // of words: even and odd columns

/// Words for the vector unit and tiles of e4m3 for the matrix unit are the same memory.
void add_split_buffer(Program& program, const CoreRangeSet& cores) {
    const auto words = static_cast<std::uint8_t>(index_of(Cb::CodeWords));
    const auto bytes = static_cast<std::uint8_t>(index_of(Cb::CodeBytes));
    const auto size = static_cast<std::uint32_t>(e2m1_split_bytes());
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(size, {{words, DataFormat::UInt32}, {bytes, DataFormat::Fp8_e4m3}})
            .set_page_size(words, kWordTile)
            .set_page_size(bytes, kByteTile));
}

}  // namespace

std::uint64_t e2m1_split_bytes() {
    return std::uint64_t{kSplitTiles} * kWordTile;
}

std::vector<CbPlan> e2m1_buffers(const PieceWork& pieces, std::uint32_t cb_depth) {
    // A piece fills the first byte tile of a tile of words.
    return {{Cb::Bytes, DataFormat::UInt32, cb_depth},
            {Cb::Joiners, DataFormat::Float16_b, 2 * kPieceTiles},
            {Cb::LeftHalf, DataFormat::Float16_b, 1},
            {Cb::Scales, DataFormat::Float32, cb_depth * kPieceTiles * pieces.args.halves},
            {Cb::Output, DataFormat::Float16_b, cb_depth * kPieceTiles}};
}

void add_e2m1_compute(Program& program, const PieceWork& pieces, std::uint32_t cb_depth) {
    add_circular_buffers(program, pieces.work.cores, e2m1_buffers(pieces, cb_depth));
    add_split_buffer(program, pieces.work.cores);
    ComputeConfig config = compute_config(pieces.args, {.fp32_dest_acc_en = true});
    unpack_to_fp32(config, Cb::Bytes);
    unpack_to_fp32(config, Cb::Scales);
    CreateKernel(program, "ops/widen_bytes/kernels/e2m1_compute.cpp", pieces.work.cores, config);
}

HostTensor e2m1_reference(const ReferenceContext& context) {
    const HostTensor packed = context.read("bytes"_in);
    const HostTensor scales = context.read("scales"_in);
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float16_b);
    const auto bytes = packed.as<std::uint8_t>();
    const auto codes = scales.as<std::uint8_t>();
    const bool is_e8m0 = scales.format == DataFormat::UInt8;
    const std::uint32_t each = scaled_columns(scales.format);
    const auto numbers = output.as<std::uint16_t>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const float scale =
            is_e8m0 ? e8m0_to_float(codes[i / each]) : fp8::value_of(codes[i / each]);
        // The matrix unit's sums of zeros have no sign.
        const float number = e2m1_to_float(bytes[i / 2] >> (i % 2 * 4) & 0xFU) * scale + 0.0F;
        // Six significant bits: the upper half is the number.
        numbers[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16U);
    }
    return output;
}

}  // namespace tessera::ops::widen_bytes
