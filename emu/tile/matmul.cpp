// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/matmul.hpp"

#include <memory>
#include <new>
#include <vector>

#include "emu/tile/fidelity.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/matmul_kernel.hpp"
#include "emu/tile/transpose.hpp"
#include "emu/tile/unpack.hpp"
#include "tessera/errors.hpp"

namespace tessera::tile {
namespace {

/// Converted tiles of one operand, kept between calls because a fiber's stack is too small for a
/// block.
struct ConvertedTiles {
    std::vector<float> values;
    std::vector<const float*> tiles;

    void resize(std::size_t count) {
        if (values.size() < count * kTileElements) {
            values.resize(count * kTileElements);
        }
        tiles.clear();
        for (std::size_t i = 0; i < count; ++i) {
            tiles.push_back(values.data() + i * kTileElements);
        }
    }
    [[nodiscard]] float* at(std::size_t index) { return values.data() + index * kTileElements; }
};

void convert_tile(const MatmulOperand& operand, std::size_t index, Source source, Slice slice,
                  float* out) {
    const std::byte* src = operand.tiles[index];
    if (operand.format == DataFormat::Float16_b) {
        slice_bf16_tile(src, source, slice, out);
    } else {
        unpack_tile(operand.format, src, out);
        slice_tile(out, source, slice, out);
    }
    if (operand.orientation == Orientation::Transposed) {
        transpose_tile(out, out);
    }
}

void convert(const MatmulOperand& operand, Source source, Slice slice, ConvertedTiles& out) {
    ensure(!is_integer_format(operand.format), "matmul_block: operand format {} is an integer",
           name_of(operand.format));
    out.resize(operand.tiles.size());
    for (std::size_t i = 0; i < operand.tiles.size(); ++i) {
        convert_tile(operand, i, source, slice, out.at(i));
    }
}

/// Memory that only grows and is aligned to cache lines.
class ScratchTiles {
public:
    [[nodiscard]] float* of(std::size_t num_tiles) {
        if (num_tiles > num_tiles_) {
            floats_.reset(static_cast<float*>(::operator new[](
                num_tiles* kTileElements * sizeof(float), std::align_val_t{kLine})));
            num_tiles_ = num_tiles;
        }
        return floats_.get();
    }

private:
    static constexpr std::size_t kLine = 64;
    struct Free {
        void operator()(float* floats) const noexcept {
            ::operator delete[](floats, std::align_val_t{kLine});
        }
    };
    std::size_t num_tiles_ = 0;
    std::unique_ptr<float[], Free> floats_;
};

bool is_plain_bf16(const MatmulOperand& operand) {
    return operand.format == DataFormat::Float16_b && operand.orientation == Orientation::AsStored;
}

/// Multiplies operands of any format and orientation, all converted before the multiplication.
void convert_and_multiply(const MatmulOperand& in0, const MatmulOperand& in1, float* dst,
                          std::span<const FidelityPass> passes, DstFormat dst_format) {
    // Per host thread; never used across a fiber switch.
    static thread_local ConvertedTiles rows;
    static thread_local ConvertedTiles columns;
    for (const FidelityPass pass : passes) {
        convert(in0, Source::SrcB, pass.srcb, rows);
        convert(in1, Source::SrcA, pass.srca, columns);
        matmul_block(rows.tiles, columns.tiles, dst, dst_format);
    }
}

}  // namespace

void matmul_tile(const float* in0, const float* in1, float* dst) {
    multiply_block(&in0, 1, &in1, 1, dst, DstFormat::Float32);
}

void matmul_block(std::span<const float* const> in0, std::span<const float* const> in1, float* dst,
                  DstFormat dst_format) {
    multiply_block(in0.data(), in0.size(), in1.data(), in1.size(), dst, dst_format);
}

void matmul_tile_bf16(const std::byte* in0, const std::byte* in1, float* dst,
                      MathFidelity fidelity) {
    matmul_block(MatmulOperand{{&in0, 1}}, MatmulOperand{{&in1, 1}}, dst, {fidelity});
}

void matmul_block(const MatmulOperand& in0, const MatmulOperand& in1, float* dst,
                  const MatmulMode& mode) {
    static thread_local ScratchTiles scratch;  // a fiber's stack is too small
    const auto passes = mode.dst_format == DstFormat::Float32 ? fidelity_passes(mode.fidelity)
                                                              : fidelity_phases(mode.fidelity);
    if (is_plain_bf16(in0) && is_plain_bf16(in1)) [[likely]] {
        return multiply_bf16_block(in0.tiles.data(), in0.tiles.size(), in1.tiles.data(),
                                   in1.tiles.size(), passes, scratch.of(in1.tiles.size() + 1), dst,
                                   {mode.dst_format, mode.ahead});
    }
    convert_and_multiply(in0, in1, dst, passes, mode.dst_format);
}

}  // namespace tessera::tile
