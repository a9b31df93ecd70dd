// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/matmul_kernel.hpp"

#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/matmul_kernel.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/bf16_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

// A panel has the sums that one pass over k keeps in registers: kPanelVecs vectors wide. AVX-512
// takes both 16-column faces (8 rows × 2 vectors = 16 sums), AVX2 one face (6 × 2 = 12 of 16
// registers), 128-bit targets one face (6 × 4 = 24 of 32).
inline constexpr std::size_t kPanelVecs = kLanes == 16 ? 2 : kLanes == 1 ? 4 : 16 / kLanes;
inline constexpr std::size_t kPanelColumns = kPanelVecs * kLanes;

inline constexpr std::size_t kLineBytes = 64;

/// Prefetches into the second cache level: the first is full of operands.
HWY_INLINE void prefetch(const std::byte* line) {
    constexpr int kForReading = 0;
    constexpr int kSecondLevel = 2;
    __builtin_prefetch(line, kForReading, kSecondLevel);
}

/// Offset inside a face row pair of vector `v` of a panel that begins at `column`.
constexpr std::size_t vector_offset(std::size_t column, std::size_t v) {
    const std::size_t at = column + v * kLanes;
    return (at / kFaceColumns) * kFaceElements + at % kFaceColumns;
}

template <std::size_t... i>
HWY_INLINE void step(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                     Vec (&sums)[sizeof...(i)], std::index_sequence<i...>) {
    ((sums[i] = fma(constant(a[(i / kPanelVecs) * kFaceColumns]),
                    load(b + vector_offset(0, i % kPanelVecs)), sums[i])),
     ...);
}

/// Adds the products of one face of k, 16 steps. A separate function: with a loop over both faces
/// GCC 12 keeps the sums of the rounding form in memory, at half the speed.
template <DstFormat kFormat, std::size_t... i>
HWY_INLINE void multiply_face(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                              const std::byte* ahead, Vec (&sums)[sizeof...(i)],
                              std::index_sequence<i...> sequence) {
    // Unrolled here: GCC 12 adds loops for remainders that do not exist.
    for (std::size_t k = 0; k < kFaceColumns; k += 4) {
        prefetch(ahead + k / 4 * kLineBytes);
        step(a + k, b + k * kFaceColumns, sums, sequence);
        step(a + k + 1, b + (k + 1) * kFaceColumns, sums, sequence);
        step(a + k + 2, b + (k + 2) * kFaceColumns, sums, sequence);
        step(a + k + 3, b + (k + 3) * kFaceColumns, sums, sequence);
    }
    if constexpr (kFormat == DstFormat::Float16_b) {
        ((sums[i] = round_bf16(sums[i])), ...);
    }
}

template <DstFormat kFormat, std::size_t... i>
HWY_INLINE void multiply_panel(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                               float* HWY_RESTRICT c, const std::byte* ahead,
                               std::index_sequence<i...> sequence) {
    Vec sums[] = {load(c + (i / kPanelVecs) * kFaceColumns + vector_offset(0, i % kPanelVecs))...};
    multiply_face<kFormat>(a, b, ahead, sums, sequence);
    multiply_face<kFormat>(a + kFaceElements, b + 2 * kFaceElements, ahead + 4 * kLineBytes, sums,
                           sequence);
    (store(sums[i], c + (i / kPanelVecs) * kFaceColumns + vector_offset(0, i % kPanelVecs)), ...);
}

/// Computes all panels of `kRows` rows that begin at row `row` of the upper (0) or lower (1) faces.
template <DstFormat kFormat, std::size_t kRows>
HWY_INLINE void multiply_rows(const float* a, const float* b, float* c, const std::byte* ahead,
                              std::size_t face_row, std::size_t row) {
    const std::size_t base = face_row * 2 * kFaceElements + row * kFaceColumns;
    for (std::size_t column = 0; column < kTileColumns; column += kPanelColumns) {
        const std::size_t offset = vector_offset(column, 0);
        multiply_panel<kFormat>(a + base, b + offset, c + base + offset,
                                ahead + (face_row * 2 + (row >= 8 ? 1 : 0)) * 8 * kLineBytes,
                                std::make_index_sequence<kRows * kPanelVecs>());
    }
}

/// Also prefetches the page `ahead`, one line every few steps: all lines at once would delay the
/// operands.
template <DstFormat kFormat>
HWY_NOINLINE void multiply_tile(const float* a, const float* b, float* c, const std::byte* ahead) {
    for (std::size_t face_row = 0; face_row < 2; ++face_row) {
        if constexpr (kLanes == 16) {
            multiply_rows<kFormat, 8>(a, b, c, ahead, face_row, 0);
            multiply_rows<kFormat, 8>(a, b, c, ahead, face_row, 8);
        } else {
            multiply_rows<kFormat, 6>(a, b, c, ahead, face_row, 0);
            multiply_rows<kFormat, 5>(a, b, c, ahead, face_row, 6);
            multiply_rows<kFormat, 5>(a, b, c, ahead, face_row, 11);
        }
    }
}

template <DstFormat kFormat>
void multiply_all(const float* const* rows, std::size_t num_rows, const float* const* columns,
                  std::size_t num_columns, float* dst) {
    for (std::size_t c = 0; c < num_columns; ++c) {
        for (std::size_t r = 0; r < num_rows; ++r) {
            multiply_tile<kFormat>(rows[r], columns[c], dst + (r * num_columns + c) * kTileElements,
                                   reinterpret_cast<const std::byte*>(rows[r]));
        }
    }
}

void multiply_tiles(const float* const* rows, std::size_t num_rows, const float* const* columns,
                    std::size_t num_columns, float* dst, DstFormat dst_format) {
    if (dst_format == DstFormat::Float32) {
        multiply_all<DstFormat::Float32>(rows, num_rows, columns, num_columns, dst);
    } else {
        multiply_all<DstFormat::Float16_b>(rows, num_rows, columns, num_columns, dst);
    }
}

/// Converts all columns once, and each row when it is used, so that the working set stays in the
/// host's L1.
template <DstFormat kFormat>
HWY_INLINE void multiply_pass(const std::byte* const* rows, std::size_t num_rows,
                              const std::byte* const* columns, std::size_t num_columns,
                              FidelityPass pass, float* scratch, float* dst,
                              const KernelMode& mode) {
    const auto convert = [](const std::byte* tile, Source source, Slice slice,
                            float* out) HWY_ATTR {
        slice_tile_of_halves(reinterpret_cast<const std::uint16_t*>(tile), source, slice, out);
    };
    float* column_tiles = scratch + kTileElements;
    for (std::size_t c = 0; c < num_columns; ++c) {
        convert(columns[c], Source::SrcA, pass.srca, column_tiles + c * kTileElements);
    }
    for (std::size_t r = 0; r < num_rows; ++r) {
        convert(rows[r], Source::SrcB, pass.srcb, scratch);
        for (std::size_t c = 0; c < num_columns; ++c) {
            multiply_tile<kFormat>(scratch, column_tiles + c * kTileElements,
                                   dst + (r * num_columns + c) * kTileElements,
                                   r * num_columns + c < mode.ahead.size()
                                       ? mode.ahead[r * num_columns + c]
                                       : reinterpret_cast<const std::byte*>(scratch));
        }
    }
}

void multiply_bf16_tiles(const std::byte* const* rows, std::size_t num_rows,
                         const std::byte* const* columns, std::size_t num_columns,
                         std::span<const FidelityPass> passes, float* scratch, float* dst,
                         const KernelMode& mode) {
    for (const FidelityPass pass : passes) {
        if (mode.dst_format == DstFormat::Float32) {
            multiply_pass<DstFormat::Float32>(rows, num_rows, columns, num_columns, pass, scratch,
                                              dst, mode);
        } else {
            multiply_pass<DstFormat::Float16_b>(rows, num_rows, columns, num_columns, pass, scratch,
                                                dst, mode);
        }
    }
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(multiply_tiles);
HWY_EXPORT(multiply_bf16_tiles);

void multiply_block(const float* const* rows, std::size_t num_rows, const float* const* columns,
                    std::size_t num_columns, float* dst, DstFormat dst_format) {
    HWY_DYNAMIC_DISPATCH(multiply_tiles)(rows, num_rows, columns, num_columns, dst, dst_format);
}

void multiply_bf16_block(const std::byte* const* rows, std::size_t num_rows,
                         const std::byte* const* columns, std::size_t num_columns,
                         std::span<const FidelityPass> passes, float* scratch, float* dst,
                         const KernelMode& mode) {
    HWY_DYNAMIC_DISPATCH(multiply_bf16_tiles)
    (rows, num_rows, columns, num_columns, passes, scratch, dst, mode);
}

}  // namespace tessera::tile
#endif
