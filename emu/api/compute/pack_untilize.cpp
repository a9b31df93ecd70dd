// SPDX-License-Identifier: Apache-2.0
#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/packer.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/tiny_tile.hpp"
#include "tessera/kernel/compute/copy.hpp"
#include "tessera/kernel/compute/init.hpp"
#include "tessera/kernel/compute/untilize.hpp"

namespace tessera {
namespace {

// Writes DST tile `dst_index` as the rows of tile column `column` of a row-major block.
void write_rows(KernelThread& thread, std::uint32_t dst_index, Target block, std::uint32_t ocb,
                std::uint32_t column, std::uint32_t row_tiles, const char* call, CallSite site) {
    ComputeState& units = *thread.compute;
    const std::uint32_t element = element_bytes(block.format);
    const std::size_t tile_row = std::size_t{block.tile.get_width()} * element;
    const float* values = packed_tile(units, dst_index, block.format, call, site);
    ++thread.activity.tiles_packed;
    record_pack(thread, EventKind::PackUntilize, ocb, site);
    if (!packs_values(units, block.format)) {
        return;
    }
    auto* packed = reinterpret_cast<std::byte*>(units.scratch[1].data());
    write_tile({}, block.format, values, packed, call, site);
    tile::untilize_rows(block.tile, packed, element, block.bytes + tile_row * column,
                        tile_row * row_tiles);
}

void check_packs_rows(const ComputeState& units, DataFormat format, std::uint32_t ocb,
                      const char* call, CallSite site) {
    if (!units.pack.untilizes) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: the packer writes tiles, pack_untilize_dest_init or pack_untilize_init is "
              "missing",
              call);
    }
    if (is_block_format(format)) {
        fault(FaultCategory::Unsupported, site, "{}(cb {}): row-major {} does not exist", call, ocb,
              name_of(format));
    }
}

void check_columns(kernel::UntilizeShape shape, std::uint32_t block_c_index, const char* call,
                   CallSite site) {
    if ((std::uint64_t{block_c_index} + 1) * shape.block_tiles > shape.row_tiles) {
        fault(FaultCategory::OutOfBounds, site,
              "{}: block {} of {} tiles lies outside rows of {} tiles", call, block_c_index,
              shape.block_tiles, shape.row_tiles);
    }
}

// Rows of the block at the write pointer; the whole block row must fit.
Target row_block(KernelThread& thread, std::uint32_t ocb, std::uint32_t block_row,
                 std::uint32_t row_tiles, const char* call, CallSite site) {
    const CircularBuffer& buffer = configured_buffer(thread, ocb, call, site);
    const std::uint64_t size = std::uint64_t{row_tiles} * buffer.tile.get_tile_size(buffer.format);
    const std::uint64_t begin = block_row * size;
    const LocalCBInterface& view = thread.cb[ocb];
    if (begin + size > std::uint64_t{view.pages_reserved} * view.fifo_page_size) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}(cb {}) writes {} bytes of rows, but cb_reserve_back has reserved {} pages of {} "
              "bytes",
              call, ocb, begin + size, view.pages_reserved, view.fifo_page_size);
    }
    return pack_target(thread, ocb, begin, size, call, site);
}

}  // namespace

namespace kernel {

void arm_pack_untilize(const char* call, CallSite site) {
    current_units(call, site).pack.untilizes = true;
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
}

void arm_pack_untilize_copy(std::uint32_t icb, std::uint32_t ocb, const char* call, CallSite site) {
    configure_units(icb, icb, ocb, call, site);
    ckernel::copy_tile_to_dst_init_short(icb, 0, 0, site);
    arm_pack_untilize(call, site);
}

void pack_untilize_dest(UntilizeShape shape, std::uint32_t ocb, std::uint32_t block_rt_dim,
                        std::uint32_t block_c_index, std::uint32_t first_dst_tile, CallSite site) {
    constexpr const char* kCall = "pack_untilize_dest";
    const ComputeState& units = current_units(kCall, site);
    KernelThread& thread = current_thread();
    check_packs_rows(units, configured_buffer(thread, ocb, kCall, site).format, ocb, kCall, site);
    check_columns(shape, block_c_index, kCall, site);
    for (std::uint32_t r = 0; r < block_rt_dim; ++r) {
        const Target rows = row_block(thread, ocb, r, shape.row_tiles, kCall, site);
        for (std::uint32_t c = 0; c < shape.block_tiles; ++c) {
            write_rows(thread, first_dst_tile + r * shape.block_tiles + c, rows, ocb,
                       block_c_index * shape.block_tiles + c, shape.row_tiles, kCall, site);
        }
    }
}

void pack_untilize_block(UntilizeShape shape, std::uint32_t icb, std::uint32_t block_rt_dim,
                         std::uint32_t ocb, std::uint32_t block_c_index, CallSite site) {
    constexpr const char* kCall = "pack_untilize_block";
    ComputeState& units = current_units(kCall, site);
    KernelThread& thread = current_thread();
    require_armed(units.armed, UnitOperation::Copy, kCall, "pack_untilize_init", site);
    units.dst.require_idle(kCall, site);
    if (block_rt_dim != 1) {
        fault(FaultCategory::Unimplemented, site, "pack_untilize_block with block_rt_dim = {}",
              block_rt_dim);
    }
    units.dst.acquire(site);
    record_dst(thread, EventKind::DstAcquire, site);
    for (std::uint32_t c = 0; c < shape.block_tiles; ++c) {
        copy_to_dst(thread, icb, c, c, {.detail = CopyDetail::kInBlock}, kCall, site);
    }
    units.dst.commit(site);
    record_dst(thread, EventKind::DstCommit, site);
    units.dst.wait(site);
    record_dst(thread, EventKind::DstWait, site);
    pack_untilize_dest(shape, ocb, 1, block_c_index, 0, site);
    units.dst.release(site);
    record_dst(thread, EventKind::DstRelease, site);
}

}  // namespace kernel
}  // namespace tessera

namespace ckernel {

void pack_untilize_uninit(std::uint32_t /*ocb*/, CallSite site) {
    tessera::current_units("pack_untilize_uninit", site).pack.untilizes = false;
}

}  // namespace ckernel
