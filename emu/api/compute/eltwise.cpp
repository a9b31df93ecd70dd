// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/eltwise.hpp"

#include <algorithm>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/fidelity.hpp"
#include "emu/tile/int8_maths.hpp"
#include "emu/tile/unpack.hpp"
#include "tessera/kernel/compute/bcast.hpp"
#include "tessera/kernel/compute/eltwise_binary.hpp"

namespace tessera {
namespace {

using ckernel::BroadcastType;
using ckernel::EltwiseBinaryReuseDestType;
using ckernel::EltwiseBinaryType;
using tile::DstUpdate;

tile::EltwiseOp operation_of(EltwiseBinaryType type, const char* call, CallSite site) {
    switch (type) {
        case EltwiseBinaryType::ELWADD:
            return tile::EltwiseOp::Add;
        case EltwiseBinaryType::ELWSUB:
            return tile::EltwiseOp::Sub;
        case EltwiseBinaryType::ELWMUL:
            return tile::EltwiseOp::Mul;
        case EltwiseBinaryType::ELWDIV:
        case EltwiseBinaryType::ELWLESS:
            break;
    }
    fault(FaultCategory::Unsupported, site, "{}: the matrix unit adds, subtracts and multiplies",
          call);
}

tile::Broadcast broadcast_of(BroadcastType type) {
    switch (type) {
        case BroadcastType::NONE:
            return tile::Broadcast::None;
        case BroadcastType::COL:
            return tile::Broadcast::Columns;
        case BroadcastType::ROW:
            return tile::Broadcast::Rows;
        case BroadcastType::SCALAR:
            return tile::Broadcast::Scalar;
    }
    return tile::Broadcast::None;
}

const char* init_of(EltwiseBinaryType type, BroadcastType broadcast) {
    static constexpr const char* kInits[3][4] = {
        {"mul_tiles_init", "mul_bcast_cols_init_short", "mul_bcast_rows_init_short",
         "mul_tiles_bcast_scalar_init_short"},
        {"add_tiles_init", "add_bcast_cols_init_short", "add_bcast_rows_init_short",
         "add_bcast_scalar_init_short"},
        {"sub_tiles_init", "sub_bcast_cols_init_short", "sub_bcast_rows_init_short",
         "sub_tiles_bcast_scalar_init_short"}};
    const std::size_t row = type == EltwiseBinaryType::ELWMUL   ? 0
                            : type == EltwiseBinaryType::ELWADD ? 1
                                                                : 2;
    return kInits[row][broadcast];
}

// Reads an operand into a scratch tile.
const float* unpack_operand(KernelThread& thread, std::size_t scratch, const Operand& operand) {
    float* values = thread.compute->scratch[scratch].data();
    tile::unpack_to_source_tile(operand.format, operand.bytes, values);
    return values;
}

// The multiplier always adds to DST; the adder only with acc_to_dest.
bool adds_to_dst(const ArmedOperation& armed, tile::EltwiseOp op) {
    return op == tile::EltwiseOp::Mul || armed.adds_to_dst;
}

void check_row(std::uint32_t row, const char* call, CallSite site) {
    if (row >= kTileRows) [[unlikely]] {
        fault(FaultCategory::OutOfBounds, site, "{}: bcast_row_idx {} is not below {}", call, row,
              kTileRows);
    }
}

std::uint8_t detail_of(tile::EltwiseOp op, std::uint8_t detail) {
    return op == tile::EltwiseOp::Mul ? static_cast<std::uint8_t>(detail | EltwiseDetail::kMultiply)
                                      : detail;
}

}  // namespace

namespace kernel {

void arm_eltwise(EltwiseBinaryType type, BroadcastType broadcast, Accumulation accumulation,
                 const char* call, CallSite site) {
    current_units(call, site).armed = {.operation = UnitOperation::Eltwise,
                                       .variant = type,
                                       .dim = broadcast,
                                       .adds_to_dst = accumulation == Accumulation::AddToDst,
                                       .init = call,
                                       .site = site};
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
}

// NOLINTNEXTLINE(readability-function-size): the arguments of the vendor's call, and its site
void eltwise(EltwiseBinaryType type, BroadcastType broadcast, std::uint32_t icb0,
             std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1, std::uint32_t idst,
             const char* call, CallSite site, std::uint32_t bcast_row) {
    ComputeState& units = current_units(call, site);
    KernelThread& thread = current_thread();
    const tile::EltwiseOp op = operation_of(type, call, site);
    if (!units.armed.is(UnitOperation::Eltwise, type, broadcast)) [[unlikely]] {
        refuse_unarmed(units.armed, call, init_of(type, broadcast), site);
    }
    check_row(bcast_row, call, site);
    const Operand a = matrix_operand(thread, icb0, itile0, SourceRegister::SrcA, call, site);
    const Operand b = matrix_operand(thread, icb1, itile1, SourceRegister::SrcB, call, site);
    const bool is_int8 = are_int8(a, b, call, site);
    record_compute(thread, EventKind::EltwiseBinary,
                   detail_of(op, broadcast != BroadcastType::NONE ? EltwiseDetail::kBroadcast : 0),
                   {.srca = a.format,
                    .srcb = b.format,
                    .cb = static_cast<std::uint8_t>(icb0),
                    .srca_tile = a.tile,
                    .srcb_tile = b.tile},
                   site);
    const bool is_sum =
        adds_to_dst(units.armed, op) && units.dst.content(idst, call, site) != DstContent::Cleared;
    const DstContent content = is_int8 ? DstContent::Integer : DstContent::Float;
    float* dst = is_sum ? units.dst.update(idst, call, site, content)
                        : units.dst.overwrite(idst, call, site, content);
    const DstUpdate update = is_sum ? DstUpdate::Accumulate : DstUpdate::Overwrite;
    if (is_int8) {
        tile::eltwise_int8_tile(op, a.bytes, b.bytes, dst, {broadcast_of(broadcast), update},
                                bcast_row);
        return keep_in_narrow_dst(units.dst, DataFormat::Int32, dst);
    }
    if (units.maths == Maths::Off) {
        return;
    }
    const float* second = unpack_operand(thread, 1, b);
    if (broadcast == BroadcastType::ROW) {
        second += tile_offset(bcast_row, 0);
    }
    tile::eltwise_tile(op, unpack_operand(thread, 0, a), second, dst,
                       {broadcast_of(broadcast), update, units.fidelity});
    round_for_dst(units.dst, dst);
}

void arm_dest_reuse(EltwiseBinaryType type, EltwiseBinaryReuseDestType reuse, CallSite site) {
    current_units("binary_dest_reuse_tiles_init", site).armed = {
        .operation = UnitOperation::DestReuse,
        .variant = type,
        .dim = static_cast<std::uint8_t>(reuse),
        .init = "binary_dest_reuse_tiles_init",
        .site = site};
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
}

void eltwise_dest_reuse(EltwiseBinaryType type, EltwiseBinaryReuseDestType reuse, std::uint32_t icb,
                        std::uint32_t itile, std::uint32_t idst, CallSite site) {
    constexpr const char* kCall = "binary_dest_reuse_tiles";
    ComputeState& units = current_units(kCall, site);
    const tile::EltwiseOp op = operation_of(type, kCall, site);
    if (!units.armed.is(UnitOperation::DestReuse, type, static_cast<std::uint8_t>(reuse)) ||
        reuse == EltwiseBinaryReuseDestType::NONE) [[unlikely]] {
        refuse_unarmed(units.armed, kCall, "binary_dest_reuse_tiles_init of the same arguments",
                       site);
    }
    KernelThread& thread = current_thread();
    const Operand in = float_operand(thread, icb, itile, SourceRegister::Unchecked, kCall, site);
    record_compute(thread, EventKind::EltwiseBinary, detail_of(op, EltwiseDetail::kDestReuse),
                   {.srca = in.format, .cb = static_cast<std::uint8_t>(icb), .srca_tile = in.tile},
                   site);
    float* dst = units.dst.update(idst, kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    const float* operand = unpack_operand(thread, 0, in);
    tile::truncate_to_tf32_tile(dst);  // DST reaches the multiplier through a source register
    const bool is_dst_first = reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA;
    tile::eltwise_tile(op, is_dst_first ? dst : operand, is_dst_first ? operand : dst, dst,
                       {tile::Broadcast::None, DstUpdate::Overwrite, units.fidelity});
    round_for_dst(units.dst, dst);
}

void arm_unary_broadcast(BroadcastType dim, const char* call, CallSite site) {
    current_units(call, site).armed = {
        .operation = UnitOperation::UnaryBroadcast, .dim = dim, .init = call, .site = site};
    record_init(current_thread(), UnitInitKind::Operation, 0, site);
}

void unary_broadcast(BroadcastType dim, std::uint32_t icb, std::uint32_t itile, std::uint32_t idst,
                     CallSite site) {
    ComputeState& units = current_units("unary_bcast", site);
    if (!units.armed.is(UnitOperation::UnaryBroadcast, 0, dim)) [[unlikely]] {
        refuse_unarmed(units.armed, "unary_bcast", "unary_bcast_init of the same dimension", site);
    }
    constexpr CopyAct kAct{EventKind::EltwiseBinary,
                           EltwiseDetail::kBroadcast | EltwiseDetail::kFromDst};
    float* dst = copy_to_dst(current_thread(), icb, itile, idst, kAct, "unary_bcast", site);
    if (dim != BroadcastType::NONE && units.maths == Maths::On) {
        tile::broadcast_tile(broadcast_of(dim), dst, dst);
    }
}

}  // namespace kernel
}  // namespace tessera

namespace ckernel {

using tessera::kernel::Accumulation;

void add_tiles_init(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/, bool acc_to_dest,
                    CallSite site) {
    tessera::kernel::arm_eltwise(ELWADD, BroadcastType::NONE,
                                 acc_to_dest ? Accumulation::AddToDst : Accumulation::Replace,
                                 "add_tiles_init", site);
}

void sub_tiles_init(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/, bool acc_to_dest,
                    CallSite site) {
    tessera::kernel::arm_eltwise(ELWSUB, BroadcastType::NONE,
                                 acc_to_dest ? Accumulation::AddToDst : Accumulation::Replace,
                                 "sub_tiles_init", site);
}

void mul_tiles_init(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/, CallSite site) {
    tessera::kernel::arm_eltwise(ELWMUL, BroadcastType::NONE, Accumulation::Replace,
                                 "mul_tiles_init", site);
}

void add_tiles(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1,
               std::uint32_t idst, CallSite site) {
    tessera::kernel::eltwise(ELWADD, BroadcastType::NONE, icb0, icb1, itile0, itile1, idst,
                             "add_tiles", site);
}

void sub_tiles(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1,
               std::uint32_t idst, CallSite site) {
    tessera::kernel::eltwise(ELWSUB, BroadcastType::NONE, icb0, icb1, itile0, itile1, idst,
                             "sub_tiles", site);
}

void mul_tiles(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1,
               std::uint32_t idst, CallSite site) {
    tessera::kernel::eltwise(ELWMUL, BroadcastType::NONE, icb0, icb1, itile0, itile1, idst,
                             "mul_tiles", site);
}

}  // namespace ckernel
