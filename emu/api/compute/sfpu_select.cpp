// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpu_select.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/sfpu.hpp"

namespace tessera::kernel {
namespace {

// Formats narrower than bf16 exist in L1 only; in DST their values are bf16.
DataFormat format_in_dst(std::uint32_t number, CallSite site) {
    switch (static_cast<DataFormat>(number)) {
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4_b:
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::Float16_b:
            return DataFormat::Float16_b;
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::UInt16:
        case DataFormat::UInt8:
            return static_cast<DataFormat>(number);
        default:
            break;
    }
    fault(FaultCategory::Unsupported, site, "typecast_tile: {} is not a format of DST", number);
}

DstContent content_of(DataFormat format) {
    return tile::is_integer_format(format) ? DstContent::Integer : DstContent::Float;
}

}  // namespace

void typecast(std::uint32_t from, std::uint32_t to, std::uint32_t idst, CallSite site) {
    constexpr const char* kCall = "typecast_tile";
    Dst& dst = current_units(kCall, site).dst;
    const DataFormat in = format_in_dst(from, site);
    const DataFormat out = format_in_dst(to, site);
    float* values = dst.update(idst, kCall, site, content_of(in));
    record_sfpu(current_thread(), kCall, site);
    tile::sfpu::typecast(in, out, values);
    static_cast<void>(dst.overwrite(idst, kCall, site, content_of(out)));
    if (content_of(out) == DstContent::Float) {
        round_for_dst(dst, values);
    }
}

void where(std::uint32_t condition, std::uint32_t on_true, std::uint32_t on_false,
           std::uint32_t odst, CallSite site) {
    constexpr const char* kCall = "where_tile";
    Dst& dst = current_units(kCall, site).dst;
    const float* selector = dst_tile_as_is(dst, condition, kCall, site);
    const float* values = dst_tile_as_is(dst, on_true, kCall, site);
    const DstContent content = dst.content(on_true, kCall, site);
    const float* others = dst.update(on_false, kCall, site, content);
    record_sfpu(current_thread(), kCall, site);
    tile::sfpu::where(selector, values, others, dst.overwrite(odst, kCall, site, content));
}

}  // namespace tessera::kernel

namespace ckernel {

void mask_tile(std::uint32_t idst_data, std::uint32_t idst2_mask, DataFormat /*data_format*/,
               CallSite site) {
    constexpr const char* kCall = "mask_tile";
    tessera::Dst& dst = tessera::current_units(kCall, site).dst;
    if (idst2_mask != idst_data + 1) {
        tessera::fault(tessera::FaultCategory::UndefinedBehavior, site,
                       "mask_tile({}, {}): the mask must lie in the DST tile behind the data",
                       idst_data, idst2_mask);
    }
    record_sfpu(tessera::current_thread(), kCall, site);
    const float* mask = tessera::dst_tile_as_is(dst, idst2_mask, kCall, site);
    tessera::tile::sfpu::mask(tessera::dst_tile_as_is(dst, idst_data, kCall, site), mask);
}

}  // namespace ckernel
