// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/tilize.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/packer.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/tiny_tile.hpp"
#include "tessera/kernel/compute/init.hpp"
#include "tessera/kernel/compute/reconfig.hpp"

namespace tessera {
namespace {

constexpr const char* kTilizeBlock = "tilize_block";

void arm_tilize(std::uint32_t block, const char* call, CallSite site) {
    current_units(call, site).armed = {
        .operation = UnitOperation::Tilize, .row_tiles = block, .init = call, .site = site};
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
}

void check_formats(const Dst& dst, DataFormat in, DataFormat out, std::uint32_t icb,
                   CallSite site) {
    if (is_block_format(in)) {
        fault(FaultCategory::Unsupported, site, "tilize_block(cb {}): row-major {} does not exist",
              icb, name_of(in));
    }
    check_fits_dst(dst, in, icb, kTilizeBlock, site);
    if (tile::is_integer_format(in) != tile::is_integer_format(out)) {
        fault(FaultCategory::UndefinedBehavior, site,
              "tilize_block(cb {}) from {} to {}: tilize does not convert between integers and "
              "floats",
              icb, name_of(in), name_of(out));
    }
}

// Row-major rows, as many as a tile of their CB has, and where in them the next tile begins.
struct RowMajorInput {
    const std::byte* bytes;
    std::size_t row_bytes;
    DataFormat format;
    Tile tile;
    std::uint32_t cb;

    [[nodiscard]] std::size_t tile_row_bytes() const {
        return std::size_t{tile.get_width()} * element_bytes(format);
    }
};

RowMajorInput row_major_input(KernelThread& thread, std::uint32_t icb, std::uint32_t first_tile,
                              std::uint32_t num_tiles, CallSite site) {
    const ArmedOperation& armed = thread.compute->armed;
    if (std::uint64_t{first_tile} + num_tiles > armed.row_tiles) {
        fault(FaultCategory::UndefinedBehavior, site,
              "tilize_block of {} tiles from tile {} on, but {} set rows of {} tiles", num_tiles,
              first_tile, armed.init, armed.row_tiles);
    }
    const CircularBuffer& buffer = configured_buffer(thread, icb, kTilizeBlock, site);
    RowMajorInput input{nullptr, 0, buffer.format, buffer.tile, icb};
    input.row_bytes = input.tile_row_bytes() * armed.row_tiles;
    const std::size_t begin = input.tile_row_bytes() * first_tile;
    const std::size_t end = (input.tile.get_height() - 1) * input.row_bytes + begin +
                            input.tile_row_bytes() * num_tiles;
    input.bytes = operand_bytes(thread, icb, end, kTilizeBlock, site).bytes + begin;
    return input;
}

// One tile to the output: bytes are only moved where no unit on the way changes them.
void tilize_one(ComputeState& units, const RowMajorInput& input, Target out, CallSite site) {
    if (!packs_values(units, out.format)) {
        return;
    }
    const std::uint32_t element = element_bytes(input.format);
    const bool is_moved = input.format == out.format && input.format == DataFormat::Float16_b &&
                          !units.pack.accumulates_in_l1 && !out.tile.is_tiny();
    if (is_moved) {
        return tile::tilize_rows(input.tile, input.bytes, input.row_bytes, element, out.bytes);
    }
    auto* tiled = reinterpret_cast<std::byte*>(units.scratch[0].data());
    float* values = units.scratch[1].data();
    tile::tilize_rows(input.tile, input.bytes, input.row_bytes, element, tiled);
    unpack_for_copy(units, input.cb, {tiled, input.format}, values);
    if (!tile::is_integer_format(input.format)) {
        round_for_dst(units.dst, values);
    }
    write_target(units.pack, out, values, kTilizeBlock, site);
}

// Returns the offset behind the last tile.
std::uint64_t tilize_all(KernelThread& thread, RowMajorInput input, std::uint32_t num_tiles,
                         std::uint32_t ocb, std::uint64_t offset, CallSite site) {
    const CircularBuffer& out = configured_buffer(thread, ocb, kTilizeBlock, site);
    const std::uint32_t size = out.tile.get_tile_size(out.format);
    for (std::uint32_t i = 0; i < num_tiles; ++i) {
        record_section(thread, EventKind::Tilize, input.cb, ocb, site);
        tilize_one(*thread.compute, input,
                   pack_target(thread, ocb, offset, size, kTilizeBlock, site), site);
        input.bytes += input.tile_row_bytes();
        offset += thread.cb[ocb].fifo_page_size;
    }
    thread.activity.tiles_packed += num_tiles;
    return offset;
}

}  // namespace
}  // namespace tessera

namespace ckernel {

void tilize_init(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb, CallSite site) {
    tessera::kernel::configure_units(icb, icb, ocb, "tilize_init", site);
    tessera::arm_tilize(block, "tilize_init", site);
}

void tilize_init_short(std::uint32_t /*icb*/, std::uint32_t block, std::uint32_t /*ocb*/,
                       CallSite site) {
    tessera::arm_tilize(block, "tilize_init_short", site);
}

void tilize_init_short_with_dt(std::uint32_t /*old_icb*/, std::uint32_t new_icb,
                               std::uint32_t block, std::uint32_t /*ocb*/, CallSite site) {
    tessera::kernel::reconfigure_srca(new_icb, "tilize_init_short_with_dt", site);
    tessera::arm_tilize(block, "tilize_init_short_with_dt", site);
}

void tilize_block(std::uint32_t icb, std::uint32_t block, std::uint32_t ocb,
                  std::uint32_t input_tile_index, std::uint32_t output_tile_index, CallSite site) {
    using namespace tessera;
    ComputeState& units = current_units(kTilizeBlock, site);
    KernelThread& thread = current_thread();
    require_armed(units.armed, UnitOperation::Tilize, kTilizeBlock, "tilize_init", site);
    units.dst.require_idle(kTilizeBlock, site);
    const RowMajorInput input = row_major_input(thread, icb, input_tile_index, block, site);
    check_formats(units.dst, input.format,
                  configured_buffer(thread, ocb, kTilizeBlock, site).format, icb, site);
    LocalCBInterface& view = thread.cb[ocb];
    if (output_tile_index != 0) {
        tilize_all(thread, input, block, ocb,
                   std::uint64_t{output_tile_index} * view.fifo_page_size, site);
        return;
    }
    view.fifo_wr_tile_ptr = static_cast<std::uint32_t>(
        tilize_all(thread, input, block, ocb, view.fifo_wr_tile_ptr, site));
}

void tilize_uninit(std::uint32_t /*icb*/, std::uint32_t /*ocb*/, CallSite site) {
    tessera::current_units("tilize_uninit", site).armed = {.init = "tilize_uninit", .site = site};
}

void tilize_uninit_with_dt(std::uint32_t old_icb, std::uint32_t new_icb, std::uint32_t ocb,
                           CallSite site) {
    tilize_uninit(old_icb, ocb, site);
    tessera::kernel::reconfigure_srca(new_icb, "tilize_uninit_with_dt", site);
}

}  // namespace ckernel
