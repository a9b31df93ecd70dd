// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpu_integer.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/integer_ops.hpp"

namespace tessera::kernel {
namespace {

tile::IntegerOp operation_of(SfpuInteger operation) {
    switch (operation) {
        case SfpuInteger::Add:
            return tile::IntegerOp::Add;
        case SfpuInteger::Sub:
            return tile::IntegerOp::Sub;
        case SfpuInteger::Mul:
            return tile::IntegerOp::Mul;
        case SfpuInteger::And:
            return tile::IntegerOp::And;
        case SfpuInteger::Or:
            return tile::IntegerOp::Or;
        case SfpuInteger::Xor:
            return tile::IntegerOp::Xor;
        case SfpuInteger::ShiftLeft:
            return tile::IntegerOp::ShiftLeft;
        case SfpuInteger::ShiftRight:
            return tile::IntegerOp::ShiftRight;
    }
    return tile::IntegerOp::Add;
}

}  // namespace

void sfpu_integer(SfpuInteger operation, DataFormat format, std::uint32_t idst0,
                  std::uint32_t idst1, std::uint32_t odst, const char* call, CallSite site) {
    if (!tile::is_integer_format(format)) {
        fault(FaultCategory::UndefinedBehavior, site, "{} of {}: the format must be of integers",
              call, name_of(format));
    }
    Dst& dst = current_units(call, site).dst;
    current_thread().last_call = site;
    record_sfpu(current_thread(), call, site);
    const float* a = dst.update(idst0, call, site, DstContent::Integer);
    const float* b = dst.update(idst1, call, site, DstContent::Integer);
    float* out = dst.overwrite(odst, call, site, DstContent::Integer);
    tile::integer_tile(operation_of(operation), a, b, out);
    if (format == DataFormat::UInt16) {
        tile::integer_with_scalar_tile(tile::IntegerOp::And, out, 0xFFFF);
    }
}

void sfpu_integer_scalar(SfpuInteger operation, std::uint32_t idst, std::uint32_t parameter,
                         const char* call, CallSite site) {
    Dst& dst = current_units(call, site).dst;
    current_thread().last_call = site;
    record_sfpu(current_thread(), call, site);
    tile::integer_with_scalar_tile(operation_of(operation),
                                   dst.update(idst, call, site, DstContent::Integer), parameter);
}

}  // namespace tessera::kernel

namespace ckernel {

void bitwise_not_tile(std::uint32_t idst, CallSite site) {
    tessera::Dst& dst = tessera::current_units("bitwise_not_tile", site).dst;
    record_sfpu(tessera::current_thread(), "bitwise_not_tile", site);
    tessera::tile::bitwise_not_tile(
        dst.update(idst, "bitwise_not_tile", site, tessera::DstContent::Integer));
}

void fill_tile_int(std::uint32_t idst, std::uint32_t param0, CallSite site) {
    tessera::Dst& dst = tessera::current_units("fill_tile_int", site).dst;
    record_sfpu(tessera::current_thread(), "fill_tile_int", site);
    tessera::tile::fill_integer_tile(
        dst.overwrite(idst, "fill_tile_int", site, tessera::DstContent::Integer), param0);
}

}  // namespace ckernel
