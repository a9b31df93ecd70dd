// SPDX-License-Identifier: Apache-2.0
// Packs DST tiles to circular buffers.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
enum class PackOrder : std::uint8_t { InOrder, OutOfOrder };
void pack(std::uint32_t dst_index, std::uint32_t cb, PackOrder order, std::uint32_t tile_index,
          const char* call, CallSite site);
void set_packed_rows(std::uint32_t num_rows, CallSite site);
void pack_rows(std::uint32_t dst_index, std::uint32_t cb, std::uint32_t page, CallSite site);
void reconfigure_pack(std::uint32_t cb, const char* call, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

/// Writes DST tile `ifrom_dst` to `icb` in the buffer's format: one whole tile, even if the page
/// is smaller. In order, the tile is written after those packed since the last cb_push_back, and
/// `output_tile_index` is ignored. Out of order, it is written to page `output_tile_index` of the
/// reserved space.
/// Errors   UndefinedBehavior outside tile_regs_wait … tile_regs_release, beyond the reserved
///          pages, or for another format than the packer is configured for; OutOfBounds past the
///          buffer's end.
template <bool out_of_order_output = false>
void pack_tile(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t output_tile_index = 0,
               CallSite site = CallSite::here()) {
    using tessera::kernel::PackOrder;
    tessera::kernel::pack(ifrom_dst, icb,
                          out_of_order_output ? PackOrder::OutOfOrder : PackOrder::InOrder,
                          output_tile_index, "pack_tile", site);
}

/// Packs `ntiles` DST tiles from `ifrom_dst` on, in order.
void pack_tile_block(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t ntiles,
                     CallSite site = CallSite::here());
/// Does the same as pack_tile_block, under its older name.
inline void matmul_pack_tile(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t ntiles,
                             CallSite site = CallSite::here()) {
    pack_tile_block(ifrom_dst, icb, ntiles, site);
}

/// Sets the number of rows, of 16 values each, that pack_rows writes.
/// Errors   OutOfBounds for other numbers than 1 to 64.
inline void pack_rows_init(std::uint32_t num_rows, CallSite site = CallSite::here()) {
    tessera::kernel::set_packed_rows(num_rows, site);
}
/// Writes the first rows of DST tile `idst`, in the order of DST (face by face), contiguously to
/// the page `output_index` pages after the write pointer of `ocb`.
/// Errors   UndefinedBehavior without pack_rows_init; Unsupported for a block format; as pack_tile.
inline void pack_rows(std::uint32_t idst, std::uint32_t ocb, std::uint32_t output_index = 0,
                      CallSite site = CallSite::here()) {
    tessera::kernel::pack_rows(idst, ocb, output_index, site);
}
inline void pack_rows_uninit(CallSite site = CallSite::here()) {
    tessera::kernel::set_packed_rows(0, site);
}

/// Configures the packer for the format of `new_operand`.
template <bool is_tile_dim_reconfig_en = false>
void pack_reconfig_data_format(std::uint32_t new_operand, CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_pack(new_operand, "pack_reconfig_data_format", site);
}
template <bool is_tile_dim_reconfig_en = false>
void pack_reconfig_data_format(std::uint32_t /*old_operand*/, std::uint32_t new_operand,
                               CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_pack(new_operand, "pack_reconfig_data_format", site);
}

/// Selects whether packed tiles are added to the tiles in L1 (1) or replace them (0).
void pack_reconfig_l1_acc(std::uint32_t l1_acc_en, CallSite site = CallSite::here());
inline void llk_pack_reconfig_l1_acc(std::uint32_t enable, CallSite site = CallSite::here()) {
    pack_reconfig_l1_acc(enable, site);
}

/// Argument of llk_pack_relu_config in the newer spelling. Thresholds are bfloat16 bit patterns.
struct ReluConfig {
    std::uint32_t bits;

    static constexpr ReluConfig none() { return {ReluType::NO_RELU}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU}; }
    static constexpr ReluConfig min_threshold(std::uint32_t threshold) {
        return {threshold << 16U | ReluType::MIN_THRESHOLD_RELU};
    }
    static constexpr ReluConfig max_threshold(std::uint32_t threshold) {
        return {threshold << 16U | ReluType::MAX_THRESHOLD_RELU};
    }
    constexpr operator std::uint32_t() const { return bits; }  // NOLINT: passed as a word
};

/// Rectifies values while they are packed. Bits 0–1: a ReluType; bits 16–31: threshold as bf16.
void llk_pack_relu_config(std::uint32_t config, CallSite site = CallSite::here());
inline void pack_relu_config(std::uint32_t config, CallSite site = CallSite::here()) {
    llk_pack_relu_config(config, site);
}

}  // namespace ckernel
