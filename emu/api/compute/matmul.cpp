// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/matmul.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/stride_prefetcher.hpp"
#include "emu/tile/int8_maths.hpp"
#include "tessera/kernel/compute/init.hpp"
#include "tessera/kernel/compute/llk.hpp"
#include "tessera/kernel/compute/matmul.hpp"
#include "tessera/kernel/compute/reconfig.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMaxBlockSide = 16;  // DST holds no longer row or column
using TilePointers = std::array<const std::byte*, kMaxBlockSide>;

tile::MatmulMode matmul_mode(const ComputeState& units) {
    return {
        .fidelity = units.fidelity,
        .dst_format = units.dst.is_32bit() ? tile::DstFormat::Float32 : tile::DstFormat::Float16_b};
}

// Pages that reader kernels will probably want next, one for each of `count` products.
std::span<const std::byte* const> pages_ahead(std::size_t count, TilePointers& pages) {
    StridePrefetcher& prefetcher = StridePrefetcher::of_this_thread();
    std::size_t num_pages = 0;
    while (num_pages < std::min(count, pages.size())) {
        pages[num_pages] = prefetcher.take();
        if (pages[num_pages] == nullptr) {
            break;
        }
        ++num_pages;
    }
    return {pages.data(), num_pages};
}

tile::Orientation in1_orientation(const ComputeState& units) {
    return units.armed.transposes ? tile::Orientation::Transposed : tile::Orientation::AsStored;
}

void check_transpose(const ArmedOperation& armed, std::uint32_t transpose, const char* call,
                     CallSite site) {
    if ((transpose != 0) != armed.transposes) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{} with transpose = {} after {} with transpose = {}", call, transpose, armed.init,
              armed.transposes ? 1 : 0);
    }
}

void arm_matmul(std::uint32_t in1_cb, std::uint32_t transpose, const char* call, CallSite site) {
    current_units(call, site).armed = {.operation = UnitOperation::Matmul,
                                       .transposes = transpose != 0,
                                       .init = call,
                                       .site = site};
    record_init(current_thread(), UnitInitKind::Operation, in1_cb, site);
}

// The second operand goes through SrcA.
void record_matmul(KernelThread& thread, EventKind kind, const ComputeArgument& argument,
                   const CallSite& site) {
    if (thread.recorder) {
        record_compute(thread, kind, 0, argument, site);
    }
}

// Whether a tile lies among the granted pages; what does not may still be granted elsewhere.
bool is_granted(const LocalCBInterface& view, std::uint64_t offset, std::uint32_t size) {
    return offset + size <= std::uint64_t{view.pages_granted} * view.fifo_page_size &&
           view.fifo_rd_ptr + offset + size <= view.fifo_limit;
}

// Gathers `count` operand tiles `stride` apart, and returns the first. Checks of the whole circular
// buffer are made with the first tile.
Operand gather(KernelThread& thread, std::uint32_t cb, std::uint32_t first, std::uint32_t stride,
               std::uint32_t count, SourceRegister source, TilePointers& tiles,
               const CallSite& site) {
    const Operand operand = matrix_operand(thread, cb, first, source, "matmul_block", site);
    const LocalCBInterface& view = thread.cb[cb];
    const std::uint32_t size = operand.tile.get_tile_size(operand.format);
    tiles[0] = operand.bytes;
    for (std::uint32_t i = 1; i < count; ++i) {
        const std::uint32_t index = first + i * stride;
        const std::uint64_t distance = std::uint64_t{index - first} * view.fifo_page_size;
        const std::uint64_t offset = std::uint64_t{first} * view.fifo_page_size + distance;
        // Tiny tiles are copied one by one.
        tiles[i] = !operand.tile.is_tiny() && is_granted(view, offset, size)
                       ? operand.bytes + distance
                       : matrix_operand(thread, cb, index, source, "matmul_block", site).bytes;
    }
    return operand;
}

// A row of in0 is multiplied with a column of in1, or of what in1 is transposed.
void check_tiles(const ArmedOperation& armed, Tile in0, Tile in1, const char* call, CallSite site) {
    const std::uint32_t in1_rows = armed.transposes ? in1.get_width() : in1.get_height();
    if (in0.get_width() != in1_rows) [[unlikely]] {
        fault(FaultCategory::UndefinedBehavior, site,
              "{} of tiles {}×{} by tiles {}×{}{}: columns of in0 are as long as rows of in1 are "
              "many",
              call, in0.get_height(), in0.get_width(), in1.get_height(), in1.get_width(),
              armed.transposes ? ", transposed" : "");
    }
    // Source   tt-llk, llk_math_matmul.h: there is no such path.
    const Tile face({kFaceRows, kFaceColumns});
    if (in0 == face && in1 == face) [[unlikely]] {
        fault(FaultCategory::Unsupported, site, "{}: the matrix unit has no product of 16×16 tiles",
              call);
    }
}

void check_block(const Dst& dst, std::uint32_t ct_dim, std::uint32_t rt_dim, CallSite site) {
    if (ct_dim == 0 || rt_dim == 0 || ct_dim > dst.capacity() || rt_dim > dst.capacity()) {
        fault(FaultCategory::OutOfBounds, site,
              "matmul_block of {} columns and {} rows of tiles: 1 to {} fit in DST", ct_dim, rt_dim,
              dst.capacity());
    }
}

DstContent content_of_product(bool is_int8) {
    return is_int8 ? DstContent::Integer : DstContent::Float;
}

void multiply_int8(std::span<const std::byte* const> rows,
                   std::span<const std::byte* const> columns, const ComputeState& units,
                   float* dst) {
    for (const std::byte* row : rows) {
        for (const std::byte* column : columns) {
            tile::matmul_int8_tile(row, column, in1_orientation(units), dst);
            keep_in_narrow_dst(units.dst, DataFormat::Int32, dst);
            dst += kTileElements;
        }
    }
}

}  // namespace
}  // namespace tessera

namespace ckernel {

using tessera::are_int8;

using tessera::check_block;
using tessera::check_tiles;
using tessera::check_transpose;
using tessera::content_of_product;
using tessera::EventKind;
using tessera::gather;
using tessera::in1_orientation;
using tessera::matmul_mode;
using tessera::matrix_operand;
using tessera::multiply_int8;
using tessera::Operand;
using tessera::record_matmul;
using tessera::SourceRegister;
using tessera::UnitOperation;

void mm_init(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t out_cb_id,
             std::uint32_t transpose, CallSite site) {
    tessera::kernel::configure_units(in1_cb_id, in0_cb_id, out_cb_id, "mm_init", site);
    tessera::arm_matmul(in1_cb_id, transpose, "mm_init", site);
}

void mm_init_short(std::uint32_t /*in0_cb_id*/, std::uint32_t in1_cb_id, std::uint32_t transpose,
                   CallSite site) {
    tessera::arm_matmul(in1_cb_id, transpose, "mm_init_short", site);
}

void mm_init_short_with_dt(std::uint32_t /*in0_cb_id*/, std::uint32_t in1_cb_id,
                           std::uint32_t /*c_in_old_srca*/, std::uint32_t transpose,
                           CallSite site) {
    tessera::kernel::reconfigure_srca(in1_cb_id, "mm_init_short_with_dt", site);
    tessera::arm_matmul(in1_cb_id, transpose, "mm_init_short_with_dt", site);
}

void matmul_init(std::uint32_t /*in0_cb_id*/, std::uint32_t in1_cb_id, std::uint32_t transpose,
                 CallSite site) {
    tessera::arm_matmul(in1_cb_id, transpose, "matmul_init", site);
}

void mm_block_init(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t out_cb_id,
                   std::uint32_t transpose, std::uint32_t /*ct_dim*/, std::uint32_t /*rt_dim*/,
                   std::uint32_t /*kt_dim*/, CallSite site) {
    tessera::kernel::configure_units(in1_cb_id, in0_cb_id, out_cb_id, "mm_block_init", site);
    tessera::arm_matmul(in1_cb_id, transpose, "mm_block_init", site);
}

void mm_block_init_short(std::uint32_t /*in0_cb_id*/, std::uint32_t in1_cb_id,
                         std::uint32_t transpose, std::uint32_t /*ct_dim*/,
                         std::uint32_t /*rt_dim*/, std::uint32_t /*kt_dim*/, CallSite site) {
    tessera::arm_matmul(in1_cb_id, transpose, "mm_block_init_short", site);
}

void mm_block_init_short_with_dt(std::uint32_t /*in0_cb_id*/, std::uint32_t in1_cb_id,
                                 std::uint32_t /*old_in1_cb_id*/, std::uint32_t transpose,
                                 std::uint32_t /*ct_dim*/, std::uint32_t /*rt_dim*/,
                                 std::uint32_t /*kt_dim*/, CallSite site) {
    tessera::kernel::reconfigure_srca(in1_cb_id, "mm_block_init_short_with_dt", site);
    tessera::arm_matmul(in1_cb_id, transpose, "mm_block_init_short_with_dt", site);
}

void mm_block_init_short_with_both_dt(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                                      std::uint32_t /*old_in0_cb_id*/,
                                      std::uint32_t /*old_in1_cb_id*/, std::uint32_t transpose,
                                      std::uint32_t /*ct_dim*/, std::uint32_t /*rt_dim*/,
                                      std::uint32_t /*kt_dim*/, CallSite site) {
    tessera::kernel::reconfigure_srca(in1_cb_id, "mm_block_init_short_with_both_dt", site);
    tessera::kernel::reconfigure_srcb(in0_cb_id, "mm_block_init_short_with_both_dt", site);
    tessera::arm_matmul(in1_cb_id, transpose, "mm_block_init_short_with_both_dt", site);
}

void matmul_tiles(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t in0_tile_index,
                  std::uint32_t in1_tile_index, std::uint32_t idst, CallSite site) {
    tessera::ComputeState& units = tessera::current_units("matmul_tiles", site);
    tessera::KernelThread& thread = tessera::current_thread();
    require_armed(units.armed, UnitOperation::Matmul, "matmul_tiles", "mm_init", site);
    const Operand in0 = matrix_operand(thread, in0_cb_id, in0_tile_index, SourceRegister::SrcB,
                                       "matmul_tiles", site);
    const Operand in1 = matrix_operand(thread, in1_cb_id, in1_tile_index, SourceRegister::SrcA,
                                       "matmul_tiles", site);
    check_tiles(units.armed, in0.tile, in1.tile, "matmul_tiles", site);
    const bool is_int8 = are_int8(in0, in1, "matmul_tiles", site);
    float* dst = units.dst.update(idst, "matmul_tiles", site, content_of_product(is_int8));
    record_matmul(thread, EventKind::MatmulTiles,
                  {.srca = in1.format,
                   .srcb = in0.format,
                   .cb = static_cast<std::uint8_t>(in1_cb_id),
                   .srca_tile = in1.tile,
                   .srcb_tile = in0.tile},
                  site);
    if (is_int8) {
        multiply_int8({&in0.bytes, 1}, {&in1.bytes, 1}, units, dst);
    } else if (units.maths == tessera::Maths::On) {
        tessera::tile::matmul_block({{&in0.bytes, 1}, in0.format},
                                    {{&in1.bytes, 1}, in1.format, in1_orientation(units)}, dst,
                                    matmul_mode(units));
    }
    ++thread.activity.tiles_multiplied;
}

void matmul_tiles(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t in0_tile_index,
                  std::uint32_t in1_tile_index, std::uint32_t idst, std::uint32_t transpose,
                  CallSite site) {
    check_transpose(tessera::current_units("matmul_tiles", site).armed, transpose, "matmul_tiles",
                    site);
    matmul_tiles(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, site);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's parameters
void matmul_block(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t in0_tile_index,
                  std::uint32_t in1_tile_index, std::uint32_t idst, std::uint32_t transpose,
                  std::uint32_t ct_dim, std::uint32_t rt_dim, std::uint32_t kt_dim, CallSite site) {
    tessera::ComputeState& units = tessera::current_units("matmul_block", site);
    tessera::KernelThread& thread = tessera::current_thread();
    require_armed(units.armed, UnitOperation::Matmul, "matmul_block", "mm_block_init", site);
    check_transpose(units.armed, transpose, "matmul_block", site);
    check_block(units.dst, ct_dim, rt_dim, site);
    tessera::TilePointers rows;
    tessera::TilePointers columns;
    const Operand in0 =
        gather(thread, in0_cb_id, in0_tile_index, kt_dim, rt_dim, SourceRegister::SrcB, rows, site);
    const Operand in1 =
        gather(thread, in1_cb_id, in1_tile_index, 1, ct_dim, SourceRegister::SrcA, columns, site);
    check_tiles(units.armed, in0.tile, in1.tile, "matmul_block", site);
    const bool is_int8 = are_int8(in0, in1, "matmul_block", site);
    float* dst = units.dst.update_block(idst, rt_dim * ct_dim, "matmul_block", site,
                                        content_of_product(is_int8));
    record_matmul(thread, EventKind::MatmulBlock,
                  {.srca = in1.format,
                   .srcb = in0.format,
                   .ct = static_cast<std::uint8_t>(ct_dim),
                   .rt = static_cast<std::uint8_t>(rt_dim),
                   .cb = static_cast<std::uint8_t>(in1_cb_id),
                   .srca_tile = in1.tile,
                   .srcb_tile = in0.tile},
                  site);
    if (is_int8) {
        multiply_int8({rows.data(), rt_dim}, {columns.data(), ct_dim}, units, dst);
    } else if (units.maths == tessera::Maths::On) {
        tessera::TilePointers pages;
        tessera::tile::MatmulMode mode = matmul_mode(units);
        mode.ahead = tessera::pages_ahead(std::size_t{rt_dim} * ct_dim, pages);
        tessera::tile::matmul_block({{rows.data(), rt_dim}, in0.format},
                                    {{columns.data(), ct_dim}, in1.format, in1_orientation(units)},
                                    dst, mode);
    }
    thread.activity.tiles_multiplied += std::uint64_t{rt_dim} * ct_dim;
}

}  // namespace ckernel

namespace tessera::kernel {

void name_factors(const Factors& factors, CallSite site) {
    current_units("llk_unpack_AB_matmul", site).named_factors = {factors.cb0, factors.cb1,
                                                                 factors.tile0, factors.tile1};
}

void multiply_named_factors(MathFidelity fidelity, std::uint32_t idst, CallSite site) {
    ComputeState& units = current_units("llk_math_matmul", site);
    const auto [cb0, cb1, tile0, tile1] = units.named_factors;
    const MathFidelity own = std::exchange(units.fidelity, fidelity);
    ckernel::matmul_tiles(cb0, cb1, tile0, tile1, idst, site);
    units.fidelity = own;
}

}  // namespace tessera::kernel
