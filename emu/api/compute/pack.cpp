// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/pack.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/packer.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/pack.hpp"
#include "emu/tile/reduce.hpp"
#include "emu/tile/tiny_tile.hpp"

namespace tessera {
namespace {

void check_content(DstContent content, DataFormat format, std::uint32_t dst_index, const char* call,
                   CallSite site) {
    const bool wants_integer = tile::is_integer_format(format);
    if (content == DstContent::Cleared || (content == DstContent::Integer) == wants_integer)
        [[likely]] {
        return;
    }
    fault(FaultCategory::UndefinedBehavior, site,
          "{}: DST tile {} holds {}, the circular buffer {}; typecast_tile converts", call,
          dst_index, wants_integer ? "floats" : "integers", name_of(format));
}

void mask_tile(PackMask mask, float* values) {
    switch (mask) {
        case PackMask::None:
            return;
        case PackMask::FirstColumn:
            return tile::keep_reduced(tile::ReduceDim::Row, values);
        case PackMask::FirstRow:
            return tile::keep_reduced(tile::ReduceDim::Column, values);
        case PackMask::FirstElement:
            return tile::keep_reduced(tile::ReduceDim::Scalar, values);
    }
}

// MinThreshold: values up to the threshold become 0. MaxThreshold: 0 to threshold.
float rectified(PackRelu relu, float threshold, float value) {
    switch (relu) {
        case PackRelu::None:
            return value;
        case PackRelu::Zero:
            return std::max(value, 0.0F);
        case PackRelu::MinThreshold:
            return value <= threshold ? 0.0F : value;
        case PackRelu::MaxThreshold:
            return std::clamp(value, 0.0F, threshold);
    }
    return value;
}

// A tile that is named one by one was meant to hold something. A block of rows has a width that is
// fixed when the kernel is compiled, so that its last tiles are often unused: it is not noted.
void note_unwritten(KernelThread& thread, const Dst& dst, std::uint32_t dst_index, const char* call,
                    const CallSite& site) {
    if (dst.packed_content(dst_index) == DstContent::Cleared && !is_strict(thread)) [[unlikely]] {
        tolerate(thread, Tolerated::DstNotWritten, FaultCategory::UndefinedBehavior, site, call,
                 "{} reads DST tile {}, to which nothing was written since tile_regs_acquire: "
                 "the chip takes zeros",
                 call, dst_index);
    }
}

}  // namespace

bool packs_values(const ComputeState& units, DataFormat format) {
    return units.maths == Maths::On || tile::is_integer_format(format);
}

const float* packed_tile(ComputeState& units, std::uint32_t dst_index, DataFormat format,
                         const char* call, CallSite site) {
    const float* values = units.dst.packed(dst_index, call, site);
    check_content(units.dst.packed_content(dst_index), format, dst_index, call, site);
    const PackMode& mode = units.pack;
    const bool is_changed = mode.mask != PackMask::None || mode.relu != PackRelu::None;
    if (!is_changed || !packs_values(units, format)) [[likely]] {
        return values;
    }
    float* changed = units.scratch[2].data();
    std::copy_n(values, kTileElements, changed);
    mask_tile(mode.mask, changed);
    std::transform(changed, changed + kTileElements, changed, [&mode](float value) {
        return rectified(mode.relu, mode.relu_threshold, value);
    });
    return changed;
}

void write_tile(const PackMode& mode, DataFormat format, const float* values, std::byte* out,
                const char* call, CallSite site) {
    if (!mode.accumulates_in_l1) [[likely]] {
        return tile::pack_tile(format, values, out);
    }
    if (tile::is_integer_format(format)) {
        fault(FaultCategory::Unimplemented, site, "{} of {} tiles with pack_reconfig_l1_acc", call,
              name_of(format));
    }
    tile::pack_accumulate_tile(format, values, out);
}

void write_target(const PackMode& mode, const Target& target, const float* values, const char* call,
                  CallSite site) {
    if (!target.tile.is_tiny()) [[likely]] {
        return write_tile(mode, target.format, values, target.bytes, call, site);
    }
    std::array<std::byte, kTileElements * sizeof(float)> whole;
    if (mode.accumulates_in_l1) {
        std::copy_n(tile::widen(target.format, target.tile, target.bytes),
                    tile_bytes(target.format), whole.data());
    }
    write_tile(mode, target.format, values, whole.data(), call, site);
    tile::narrow(target.format, target.tile, whole.data(), target.bytes);
}

namespace kernel {

void pack(std::uint32_t dst_index, std::uint32_t cb, PackOrder order, std::uint32_t tile_index,
          const char* call, CallSite site) {
    ComputeState& units = current_units(call, site);
    KernelThread& thread = current_thread();
    if (units.pack.untilizes) [[unlikely]] {
        fault(FaultCategory::UndefinedBehavior, site,
              "{} while the packer writes rows: pack_untilize_uninit is missing", call);
    }
    const CircularBuffer& buffer = configured_buffer(thread, cb, call, site);
    const DataFormat format = buffer.format;
    LocalCBInterface& view = thread.cb[cb];
    const std::uint64_t offset = order == PackOrder::InOrder
                                     ? view.fifo_wr_tile_ptr
                                     : std::uint64_t{tile_index} * view.fifo_page_size;
    const Target target =
        pack_target(thread, cb, offset, buffer.tile.get_tile_size(format), call, site);
    const float* values = packed_tile(units, dst_index, format, call, site);
    note_unwritten(thread, units.dst, dst_index, call, site);
    record_pack(thread, EventKind::Pack, cb, site);
    if (packs_values(units, format)) {
        write_target(units.pack, target, values, call, site);
    }
    if (order == PackOrder::InOrder) {
        view.fifo_wr_tile_ptr += view.fifo_page_size;
    }
    ++thread.activity.tiles_packed;
}

void set_packed_rows(std::uint32_t num_rows, CallSite site) {
    constexpr std::uint32_t kMostRows = kTileElements / kFaceColumns;
    if (num_rows > kMostRows) {
        fault(FaultCategory::OutOfBounds, site, "pack_rows_init({}): allowed: 1 to {}", num_rows,
              kMostRows);
    }
    current_units("pack_rows_init", site).pack.num_rows = num_rows;
}

void pack_rows(std::uint32_t dst_index, std::uint32_t cb, std::uint32_t page, CallSite site) {
    constexpr const char* kCall = "pack_rows";
    ComputeState& units = current_units(kCall, site);
    KernelThread& thread = current_thread();
    if (units.pack.num_rows == 0) {
        fault(FaultCategory::UndefinedBehavior, site, "pack_rows without pack_rows_init");
    }
    const DataFormat format = configured_buffer(thread, cb, kCall, site).format;
    if (is_block_format(format)) {
        fault(FaultCategory::Unsupported, site,
              "pack_rows(cb {}): rows of {}, whose exponents belong to blocks of a tile", cb,
              name_of(format));
    }
    const std::size_t size =
        std::size_t{units.pack.num_rows} * kFaceColumns * element_bytes(format);
    const Target target = pack_target(
        thread, cb, std::uint64_t{page} * thread.cb[cb].fifo_page_size, size, kCall, site);
    const float* values = packed_tile(units, dst_index, format, kCall, site);
    note_unwritten(thread, units.dst, dst_index, kCall, site);
    record_pack(thread, EventKind::Pack, cb, site);
    if (packs_values(units, format)) {
        // Without blocks, a tile's bytes are its values in the order of DST.
        std::array<std::byte, kTileElements * sizeof(float)> whole;
        tile::pack_tile(format, values, whole.data());
        std::copy_n(whole.data(), size, target.bytes);
    }
    ++thread.activity.tiles_packed;
}

}  // namespace kernel
}  // namespace tessera

namespace ckernel {

void pack_tile_block(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t ntiles,
                     CallSite site) {
    for (std::uint32_t i = 0; i < ntiles; ++i) {
        tessera::kernel::pack(ifrom_dst + i, icb, tessera::kernel::PackOrder::InOrder, 0,
                              "pack_tile_block", site);
    }
}

void pack_reconfig_l1_acc(std::uint32_t l1_acc_en, CallSite site) {
    tessera::current_units("pack_reconfig_l1_acc", site).pack.accumulates_in_l1 = l1_acc_en != 0;
}

void llk_pack_relu_config(std::uint32_t config, CallSite site) {
    tessera::PackMode& mode = tessera::current_units("llk_pack_relu_config", site).pack;
    mode.relu = static_cast<tessera::PackRelu>(config & 0x3U);
    mode.relu_threshold = std::bit_cast<float>(config & 0xFFFF0000U);
}

}  // namespace ckernel
