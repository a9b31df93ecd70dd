// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/untilize.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/packer.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/tiny_tile.hpp"
#include "tessera/kernel/compute/copy.hpp"
#include "tessera/kernel/compute/init.hpp"
#include "tessera/kernel/compute/reconfig.hpp"

namespace tessera {
namespace {

constexpr const char* kUntilizeBlock = "untilize_block";

void arm_untilize(const char* call, CallSite site) {
    current_units(call, site).armed = {
        .operation = UnitOperation::Untilize, .init = call, .site = site};
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
}

void check_output(DataFormat in, DataFormat out, std::uint32_t ocb, CallSite site) {
    if (is_block_format(out)) {
        fault(FaultCategory::Unsupported, site,
              "untilize_block(cb {}): row-major {} does not exist", ocb, name_of(out));
    }
    if (tile::is_integer_format(in) != tile::is_integer_format(out)) {
        fault(FaultCategory::UndefinedBehavior, site,
              "untilize_block(cb {}) from {} to {}: untilize does not convert between integers "
              "and floats",
              ocb, name_of(in), name_of(out));
    }
}

// One tile to its rows, through what DST and the packer do to it.
void untilize_one(ComputeState& units, std::uint32_t icb, Operand in, Target out,
                  std::size_t row_bytes, CallSite site) {
    if (!packs_values(units, out.format)) {
        return;
    }
    const std::uint32_t element = element_bytes(out.format);
    if (in.format == out.format && in.format == DataFormat::Float16_b) {
        return tile::untilize_rows(out.tile, in.bytes, element, out.bytes, row_bytes);
    }
    float* values = units.scratch[0].data();
    auto* packed = reinterpret_cast<std::byte*>(units.scratch[1].data());
    unpack_for_copy(units, icb, in, values);
    if (!tile::is_integer_format(in.format)) {
        round_for_dst(units.dst, values);
    }
    write_tile({}, out.format, values, packed, kUntilizeBlock, site);
    tile::untilize_rows(out.tile, packed, element, out.bytes, row_bytes);
}

}  // namespace

namespace kernel {

void untilize(std::uint32_t icb, std::uint32_t row_tiles, std::uint32_t ocb, CallSite site) {
    ComputeState& units = current_units(kUntilizeBlock, site);
    KernelThread& thread = current_thread();
    require_armed(units.armed, UnitOperation::Untilize, kUntilizeBlock, "untilize_init", site);
    units.dst.require_idle(kUntilizeBlock, site);
    const CircularBuffer& rows = configured_buffer(thread, ocb, kUntilizeBlock, site);
    LocalCBInterface& view = thread.cb[ocb];
    const std::size_t tile_row = std::size_t{rows.tile.get_width()} * element_bytes(rows.format);
    const std::uint32_t tile_size = rows.tile.get_tile_size(rows.format);
    // The packer moves on by a page a tile; rows are whole only if that is a tile's bytes.
    if (view.fifo_page_size != tile_size) {
        fault(FaultCategory::UndefinedBehavior, site,
              "untilize_block(cb {}): pages of {} bytes, {} bytes are one tile", ocb,
              view.fifo_page_size, tile_size);
    }
    const std::uint64_t size = std::uint64_t{row_tiles} * view.fifo_page_size;
    for (std::uint32_t i = 0; i < row_tiles; ++i) {
        const Operand in = operand_tile(thread, icb, i, SourceRegister::SrcA, kUntilizeBlock, site);
        check_fits_dst(units.dst, in.format, icb, kUntilizeBlock, site);
        check_output(in.format, rows.format, ocb, site);
        Target out = pack_target(thread, ocb, view.fifo_wr_tile_ptr, size, kUntilizeBlock, site);
        out.bytes += tile_row * i;
        record_section(thread, EventKind::Untilize, icb, ocb, site);
        untilize_one(units, icb, in, out, tile_row * row_tiles, site);
    }
    view.fifo_wr_tile_ptr += static_cast<std::uint32_t>(size);
    thread.activity.tiles_packed += row_tiles;
}

}  // namespace kernel
}  // namespace tessera

namespace ckernel {

void untilize_init(std::uint32_t icb, std::uint32_t ocb, CallSite site) {
    tessera::kernel::configure_units(icb, icb, ocb, "untilize_init", site);
    tessera::arm_untilize("untilize_init", site);
}

void untilize_init_short(std::uint32_t /*icb*/, CallSite site) {
    tessera::arm_untilize("untilize_init_short", site);
}

void untilize_init_short_with_dt(std::uint32_t /*old_icb*/, std::uint32_t new_icb, CallSite site) {
    tessera::kernel::reconfigure_srca(new_icb, "untilize_init_short_with_dt", site);
    tessera::arm_untilize("untilize_init_short_with_dt", site);
}

void untilize_uninit(std::uint32_t /*icb*/, CallSite site) {
    tessera::current_units("untilize_uninit", site).armed = {.init = "untilize_uninit",
                                                             .site = site};
}

}  // namespace ckernel
