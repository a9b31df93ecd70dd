// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/integer_ops.hpp"
#include "tessera/kernel/compute/sfpu.hpp"

namespace tessera::kernel {
namespace {

/// `call` is what messages say, the others what traces say: the chip's code for 32 bits is not the
/// code for 16, and they have prices of their own.
struct IntegerRow {
    const char* call;
    const char* of_32bit;
    const char* of_16bit;
    tile::IntegerOp operation;
};

constexpr std::array kIntegerRows{
#define SFPU_INTEGER_ARITHMETIC(name, Op) \
    IntegerRow{#name "_int_tile", #name "_int32_tile", #name "_uint16_tile", tile::IntegerOp::Op},
#define SFPU_INTEGER_BINARY(call, Op) IntegerRow{#call, #call, #call, tile::IntegerOp::Op},
#define SFPU_INTEGER_SCALAR(call, Op, shape) IntegerRow{#call, #call, #call, tile::IntegerOp::Op},
#include "tessera/kernel/compute/sfpu_table.inc"
};

const IntegerRow& integer_row(SfpuInteger function) {
    return kIntegerRows[static_cast<std::size_t>(function)];
}

}  // namespace

void sfpu(SfpuInteger function, DataFormat format, std::uint32_t idst0, std::uint32_t idst1,
          std::uint32_t odst, CallSite site) {
    const auto [call, of_32bit, of_16bit, operation] = integer_row(function);
    if (!tile::is_integer_format(format)) {
        fault(FaultCategory::UndefinedBehavior, site, "{} of {}, allowed: integer formats", call,
              name_of(format));
    }
    Dst& dst = current_units(call, site).dst;
    record_sfpu(current_thread(), format == DataFormat::UInt16 ? of_16bit : of_32bit, site);
    const float* a = dst.update(idst0, call, site, DstContent::Integer);
    const float* b = dst.update(idst1, call, site, DstContent::Integer);
    float* out = dst.overwrite(odst, call, site, DstContent::Integer);
    tile::integer_tile(operation, a, b, out);
    if (format == DataFormat::UInt16) {
        tile::integer_with_scalar_tile(tile::IntegerOp::And, out, 0xFFFF);
    }
}

void sfpu(SfpuInteger function, std::uint32_t idst, std::uint32_t parameter, CallSite site) {
    const auto [call, of_32bit, of_16bit, operation] = integer_row(function);
    Dst& dst = current_units(call, site).dst;
    record_sfpu(current_thread(), of_32bit, site);
    tile::integer_with_scalar_tile(operation, dst.update(idst, call, site, DstContent::Integer),
                                   parameter);
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
