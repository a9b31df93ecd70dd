// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpu_binary.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/sfpu_init.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/tile/dst_binary.hpp"

namespace tessera::kernel {
namespace {

tile::BinaryOp operation_of(SfpuBinary operation) {
    switch (operation) {
        case SfpuBinary::Add:
            return tile::BinaryOp::Add;
        case SfpuBinary::Sub:
            return tile::BinaryOp::Sub;
        case SfpuBinary::Rsub:
            return tile::BinaryOp::Rsub;
        case SfpuBinary::Mul:
            return tile::BinaryOp::Mul;
        case SfpuBinary::Div:
            return tile::BinaryOp::Div;
        case SfpuBinary::Max:
            return tile::BinaryOp::Max;
        case SfpuBinary::Min:
            return tile::BinaryOp::Min;
        case SfpuBinary::Power:
            return tile::BinaryOp::Power;
    }
    return tile::BinaryOp::Add;
}

}  // namespace

void sfpu_binary(SfpuBinary operation, ckernel::DstRoundingMode rounding, std::uint32_t idst0,
                 std::uint32_t idst1, std::uint32_t odst, const char* call, CallSite site) {
    ComputeState& units = current_units(call, site);
    current_thread().last_call = site;
    require_sfpu_init(units, operation, call, site);
    const float* a = units.dst.update(idst0, call, site);
    const float* b = units.dst.update(idst1, call, site);
    float* out = units.dst.overwrite(odst, call, site);
    record_sfpu(current_thread(), call, site);
    if (units.maths == Maths::Off) {
        return;
    }
    tile::binary_tile(operation_of(operation), a, b, out);
    if (rounding == ckernel::DstRoundingMode::NearestEven) {
        round_for_dst(units.dst, out);
    } else {
        truncate_for_dst(units.dst, out);
    }
}

}  // namespace tessera::kernel
