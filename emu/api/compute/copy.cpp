// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/copy.hpp"

#include <algorithm>
#include <bit>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/transpose.hpp"
#include "emu/tile/unpack.hpp"
#include "tessera/kernel/compute/reconfig.hpp"

namespace tessera {
void check_fits_dst(const Dst& dst, DataFormat format, std::uint32_t cb, const char* call,
                    CallSite site) {
    if (!dst.is_32bit() && element_bytes(format) == 4 && tile::is_integer_format(format)) {
        tolerate(current_thread(), Tolerated::IntegerInNarrowDst, FaultCategory::UndefinedBehavior,
                 site, call, "{}(cb {}): {} tiles need a 32-bit DST, but fp32_dest_acc_en is off",
                 call, cb, name_of(format));
    }
}

// A 16-bit DST keeps what fits: numbers of 16 bits, with their sign.
void keep_in_narrow_dst(const Dst& dst, DataFormat format, float* values) {
    if (dst.is_32bit() || element_bytes(format) != 4) {
        return;
    }
    std::transform(values, values + kTileElements, values, [](float slot) {
        const auto kept = static_cast<std::int16_t>(std::bit_cast<std::uint32_t>(slot));
        return std::bit_cast<float>(static_cast<std::int32_t>(kept));
    });
}

void unpack_for_copy(const ComputeState& units, std::uint32_t cb, const Operand& operand,
                     float* values) {
    if (units.dst.is_32bit() && (units.unpacks_to_dst >> cb & 1U) != 0) {
        return tile::unpack_tile(operand.format, operand.bytes, values);
    }
    tile::unpack_to_source_tile(operand.format, operand.bytes, values);
}

float* copy_to_dst(KernelThread& thread, std::uint32_t cb, std::uint32_t tile_index,
                   std::uint32_t dst_index, CopyAct act, const char* call, CallSite site) {
    Dst& dst = thread.compute->dst;
    const Operand in = operand_tile(thread, cb, tile_index, SourceRegister::SrcA, call, site);
    record_compute(thread, act.kind, act.detail,
                   {.srca = in.format, .cb = static_cast<std::uint8_t>(cb), .srca_tile = in.tile},
                   site);
    if (tile::is_integer_format(in.format)) {
        check_fits_dst(dst, in.format, cb, call, site);
        float* out = dst.overwrite(dst_index, call, site, DstContent::Integer);
        tile::unpack_tile(in.format, in.bytes, out);
        keep_in_narrow_dst(dst, in.format, out);
        return out;
    }
    float* out = dst.overwrite(dst_index, call, site);
    if (thread.compute->maths == Maths::Off) {
        return out;
    }
    unpack_for_copy(*thread.compute, cb, in, out);
    if (in.format != DataFormat::Float16_b) {
        round_for_dst(dst, out);
    }
    return out;
}

}  // namespace tessera

namespace ckernel {

void copy_tile_to_dst_init_short(std::uint32_t cbid, std::uint32_t transpose,
                                 std::uint32_t transpose_within_16x16_face, CallSite site) {
    const bool transposes = transpose != 0;
    if (transposes != (transpose_within_16x16_face != 0)) {
        tessera::fault(tessera::FaultCategory::Unimplemented, site,
                       "copy_tile_to_dst_init_short with only one of transpose = {} and "
                       "transpose_within_16x16_face = {}",
                       transpose, transpose_within_16x16_face);
    }
    tessera::current_units("copy_tile_to_dst_init_short", site).armed = {
        .operation = tessera::UnitOperation::Copy,
        .transposes = transposes,
        .init = "copy_tile_to_dst_init_short",
        .site = site};
    record_init(tessera::current_thread(), tessera::UnitInitKind::Operation, cbid, site);
}

void copy_tile_to_dst_init_short_with_dt(std::uint32_t /*old_cbid*/, std::uint32_t new_cbid,
                                         std::uint32_t transpose, CallSite site) {
    tessera::kernel::reconfigure_srca(new_cbid, "copy_tile_to_dst_init_short_with_dt", site);
    copy_tile_to_dst_init_short(new_cbid, transpose, 0, site);
}

void copy_tile(std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t dst_tile_index,
               CallSite site) {
    const tessera::ComputeState& units = tessera::current_units("copy_tile", site);
    require_armed(units.armed, tessera::UnitOperation::Copy, "copy_tile",
                  "copy_tile_to_dst_init_short", site);
    float* out = tessera::copy_to_dst(tessera::current_thread(), in_cb_id, in_tile_index,
                                      dst_tile_index, {}, "copy_tile", site);
    if (units.armed.transposes) {
        tessera::tile::transpose_tile(out, out);
    }
}

void copy_block_matmul_partials(std::uint32_t in_cb_id, std::uint32_t start_in_tile_index,
                                std::uint32_t start_dst_tile_index, std::uint32_t ntiles,
                                CallSite site) {
    for (std::uint32_t i = 0; i < ntiles; ++i) {
        copy_tile(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i, site);
    }
}

void copy_dest_values(std::uint32_t idst_in, std::uint32_t idst_out, CallSite site) {
    tessera::Dst& dst = tessera::current_units("copy_dest_values", site).dst;
    const float* in = tessera::dst_tile_as_is(dst, idst_in, "copy_dest_values", site);
    float* out = dst.overwrite(idst_out, "copy_dest_values", site,
                               dst.content(idst_in, "copy_dest_values", site));
    record_sfpu(tessera::current_thread(), "copy_dest_values", site);
    std::copy_n(in, tessera::kTileElements, out);
}

}  // namespace ckernel
