// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/reduce.hpp"

#include <limits>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/tiny_tile.hpp"
#include "emu/tile/unpack.hpp"
#include "tessera/kernel/compute/reduce.hpp"

namespace tessera::kernel {
namespace {

using ckernel::PoolType;
using ckernel::ReduceDim;

tile::PoolType pool_of(PoolType type, CallSite site) {
    switch (type) {
        case PoolType::SUM:
            return tile::PoolType::Sum;
        case PoolType::AVG:
            return tile::PoolType::Avg;
        case PoolType::MAX:
            return tile::PoolType::Max;
        case PoolType::MIN:
        case PoolType::NO_POOL:
            break;
    }
    fault(FaultCategory::Unsupported, site, "reduce_tile: the matrix unit has SUM, AVG and MAX");
}

tile::ReduceDim dim_of(ReduceDim dim) {
    return dim == ReduceDim::REDUCE_ROW   ? tile::ReduceDim::Row
           : dim == ReduceDim::REDUCE_COL ? tile::ReduceDim::Column
                                          : tile::ReduceDim::Scalar;
}

std::uint8_t detail_of(PoolType type, ReduceDim dim) {
    const std::uint8_t left = dim == ReduceDim::REDUCE_ROW   ? ReduceDetail::kRow
                              : dim == ReduceDim::REDUCE_COL ? ReduceDetail::kColumn
                                                             : ReduceDetail::kScalar;
    return left | (type == PoolType::MAX ? ReduceDetail::kLargest : std::uint8_t{0});
}

PackMask mask_of(ReduceDim dim) {
    return dim == ReduceDim::REDUCE_ROW   ? PackMask::FirstColumn
           : dim == ReduceDim::REDUCE_COL ? PackMask::FirstRow
                                          : PackMask::FirstElement;
}

}  // namespace

void arm_reduce(PoolType type, ReduceDim dim, PackMasking masking, const char* call,
                CallSite site) {
    ComputeState& units = current_units(call, site);
    units.armed = {.operation = UnitOperation::Reduce,
                   .variant = type,
                   .dim = dim,
                   .init = call,
                   .site = site};
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
    if (masking == PackMasking::Set) {
        units.pack.mask = mask_of(dim);
    }
}

void reduce(PoolType type, ReduceDim dim, std::uint32_t icb, std::uint32_t icb_scaler,
            std::uint32_t itile, std::uint32_t itile_scaler, std::uint32_t idst, CallSite site) {
    constexpr const char* kCall = "reduce_tile";
    ComputeState& units = current_units(kCall, site);
    KernelThread& thread = current_thread();
    const tile::PoolType pool = pool_of(type, site);
    if (!units.armed.is(UnitOperation::Reduce, type, dim)) [[unlikely]] {
        refuse_unarmed(units.armed, kCall, "reduce_init of the same arguments", site);
    }
    const Operand in = float_operand(thread, icb, itile, SourceRegister::SrcA, kCall, site);
    const Operand scaler =
        float_operand(thread, icb_scaler, itile_scaler, SourceRegister::SrcB, kCall, site);
    record_compute(thread, EventKind::Reduce, detail_of(type, dim),
                   {.srca = in.format,
                    .srcb = scaler.format,
                    .cb = static_cast<std::uint8_t>(icb),
                    .srca_tile = in.tile,
                    .srcb_tile = scaler.tile},
                   site);
    float* in_values = units.scratch[0].data();
    float* scaler_values = units.scratch[1].data();
    const bool is_cleared = units.dst.content(idst, kCall, site) == DstContent::Cleared;
    float* dst =
        is_cleared ? units.dst.overwrite(idst, kCall, site) : units.dst.update(idst, kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    tile::unpack_to_source_tile(in.format, in.bytes, in_values);
    if (pool == tile::PoolType::Max && in.tile.is_tiny()) {
        tile::fill_outside(in.tile, -std::numeric_limits<float>::infinity(), in_values);
    }
    tile::unpack_to_source_tile(scaler.format, scaler.bytes, scaler_values);
    const auto update = is_cleared ? tile::DstUpdate::Overwrite : tile::DstUpdate::Accumulate;
    tile::reduce_tile({pool, dim_of(dim), update, units.fidelity}, in_values, scaler_values, dst);
    round_for_dst(units.dst, dst);
}

void set_pack_mask(ReduceDim dim) {
    current_units("llk_pack_reduce_mask_config", {}).pack.mask = mask_of(dim);
}

void clear_pack_mask() {
    current_units("reduce_uninit", {}).pack.mask = PackMask::None;
}

}  // namespace tessera::kernel
