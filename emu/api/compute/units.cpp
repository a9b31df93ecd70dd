// SPDX-License-Identifier: Apache-2.0
#include "emu/api/compute/units.hpp"

#include <algorithm>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/tile/format/bf16.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/tiny_tile.hpp"

namespace tessera {
namespace {

void check_source_format(const UnitFormats& formats, DataFormat format, std::uint32_t cb,
                         SourceRegister source, const char* call, const CallSite& site) {
    const bool is_srca = source == SourceRegister::SrcA;
    const DataFormat configured = is_srca ? formats.srca : formats.srcb;
    if (source == SourceRegister::Unchecked || configured == format ||
        configured == DataFormat::Invalid) [[likely]] {
        return;
    }
    const char* name = is_srca ? "srca" : "srcb";
    fault(FaultCategory::UndefinedBehavior, site,
          "{}(cb {}): the circular buffer holds {}, but {} is configured for {}; "
          "reconfig_data_format_{} is missing",
          call, cb, name_of(format), is_srca ? "SrcA" : "SrcB", name_of(configured), name);
}

CircularBuffer& buffer_of(KernelThread& thread, std::uint32_t cb, const char* call,
                          const CallSite& site) {
    thread.last_call = site;
    if (cb < kMaxCircularBuffers && thread.core().circular_buffers[cb].size != 0) [[likely]] {
        return thread.core().circular_buffers[cb];
    }
    return configured_buffer(thread, cb, call, site);
}

// Several indices may share memory, and a kernel may wait on one and read through another whose
// pointer it set itself (partial sums of ttnn's matmul). Only looked for when all else fails.
bool is_inside(std::uint64_t begin, std::uint64_t size, std::uint32_t first,
               std::uint64_t granted) {
    return begin >= first && begin + size <= first + granted;
}

bool is_granted_elsewhere(const KernelThread& thread, std::uint64_t begin, std::uint64_t size) {
    return std::ranges::any_of(thread.cb, [&](const LocalCBInterface& view) {
        return is_inside(begin, size, view.fifo_rd_ptr,
                         std::uint64_t{view.pages_granted} * view.fifo_page_size);
    });
}

bool is_reserved_elsewhere(const KernelThread& thread, std::uint64_t begin, std::uint64_t size) {
    return std::ranges::any_of(thread.cb, [&](const LocalCBInterface& view) {
        return is_inside(begin, size, view.fifo_wr_ptr,
                         std::uint64_t{view.pages_reserved} * view.fifo_page_size);
    });
}

// A page that holds less than a tile is a mistake of the host's: of the format or the page size.
std::string tile_beyond_page(const CircularBuffer& buffer, std::uint32_t tile_bytes,
                             std::uint32_t page_bytes) {
    return tile_bytes <= page_bytes
               ? ""
               : fmt::format("; a tile of {} has {} bytes", name_of(buffer.format), tile_bytes);
}

// The chip reads and writes the bytes after the buffer, up to the end of L1.
void check_end(KernelThread& thread, std::uint64_t begin, std::uint64_t size, std::uint32_t cb,
               const char* call, const CallSite& site) {
    const LocalCBInterface& view = thread.cb[cb];
    if (begin + size <= view.fifo_limit) [[likely]] {
        return;
    }
    constexpr const char* kPastEnd =
        "{}(cb {}): {} bytes at L1 address {} run {} bytes past the end of the circular buffer";
    const std::uint64_t excess = begin + size - view.fifo_limit;
    if (begin + size > thread.core().arch().l1.size.value) {
        fault(FaultCategory::OutOfBounds, site, kPastEnd, call, cb, size, begin, excess);
    }
    tolerate(thread, Tolerated::TilePastEnd, FaultCategory::OutOfBounds, site, call, kPastEnd, call,
             cb, size, begin, excess);
}

void check_matrix_format(DataFormat format, std::uint32_t cb, const char* call,
                         const CallSite& site) {
    if (tile::is_integer_format(format)) [[unlikely]] {
        fault(FaultCategory::Unsupported, site,
              "{}(cb {}): takes no {} tiles; copy_tile and the functions of the "
              "vector unit do",
              call, cb, name_of(format));
    }
}

}  // namespace

ComputeState& current_units(const char* call, CallSite site) {
    KernelThread& thread = current_thread();
    if (thread.compute == nullptr) [[unlikely]] {
        fault(FaultCategory::UndefinedBehavior, site,
              "{} is a call of compute kernels; this is a {} kernel", call,
              role_of(thread.processor()));
    }
    thread.last_call = site;
    return *thread.compute;
}

Operand operand_tile(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                     SourceRegister source, const char* call, const CallSite& site) {
    const CircularBuffer& buffer = buffer_of(thread, cb, call, site);
    const LocalCBInterface& view = thread.cb[cb];
    const std::uint64_t offset = std::uint64_t{index} * view.fifo_page_size;
    const std::uint32_t size = buffer.tile.get_tile_size(buffer.format);
    const std::uint64_t granted = std::uint64_t{view.pages_granted} * view.fifo_page_size;
    const std::uint64_t address = view.fifo_rd_ptr + offset;
    if (offset + size > granted && !is_granted_elsewhere(thread, address, size)) [[unlikely]] {
        // The chip reads the tile at the pointer, which is usual over sharded buffers.
        tolerate(thread, Tolerated::TileNotAwaited, FaultCategory::UndefinedBehavior, site, call,
                 "{}(cb {}) reads tile {}, but cb_wait_front has granted {} pages of {} bytes{}",
                 call, cb, index, view.pages_granted, view.fifo_page_size,
                 tile_beyond_page(buffer, size, view.fifo_page_size));
    }
    check_source_format(thread.compute->formats, buffer.format, cb, source, call, site);
    check_end(thread, address, size, cb, call, site);
    const std::byte* bytes = thread.core().l1(static_cast<std::uint32_t>(address));
    if (buffer.tile.is_tiny()) [[unlikely]] {
        bytes = tile::widen(buffer.format, buffer.tile, bytes);
    }
    return {bytes, buffer.format, buffer.tile};
}

Operand matrix_operand(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                       SourceRegister source, const char* call, const CallSite& site) {
    const Operand operand = operand_tile(thread, cb, index, source, call, site);
    if (operand.format != DataFormat::Int8) {
        check_matrix_format(operand.format, cb, call, site);
    }
    if ((thread.compute->unpacks_to_dst >> cb & 1U) != 0) [[unlikely]] {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}(cb {}): the matrix unit cannot read a circular buffer with UnpackToDestFp32, "
              "whose tiles go past the source registers",
              call, cb);
    }
    return operand;
}

Operand float_operand(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                      SourceRegister source, const char* call, const CallSite& site) {
    const Operand operand = matrix_operand(thread, cb, index, source, call, site);
    check_matrix_format(operand.format, cb, call, site);
    return operand;
}

bool are_int8(const Operand& a, const Operand& b, const char* call, const CallSite& site) {
    if ((a.format == DataFormat::Int8) != (b.format == DataFormat::Int8)) [[unlikely]] {
        fault(FaultCategory::Unsupported, site, "{} of {} and {} tiles: both are int8, or neither",
              call, name_of(a.format), name_of(b.format));
    }
    return a.format == DataFormat::Int8;
}

Operand operand_bytes(KernelThread& thread, std::uint32_t cb, std::uint64_t size, const char* call,
                      const CallSite& site) {
    const CircularBuffer& buffer = buffer_of(thread, cb, call, site);
    const LocalCBInterface& view = thread.cb[cb];
    if (size > std::uint64_t{view.pages_granted} * view.fifo_page_size &&
        !is_granted_elsewhere(thread, view.fifo_rd_ptr, size)) [[unlikely]] {
        tolerate(thread, Tolerated::TileNotAwaited, FaultCategory::UndefinedBehavior, site, call,
                 "{}(cb {}) reads {} bytes, but cb_wait_front has granted {} pages of {} bytes",
                 call, cb, size, view.pages_granted, view.fifo_page_size);
    }
    check_source_format(thread.compute->formats, buffer.format, cb, SourceRegister::SrcA, call,
                        site);
    check_end(thread, view.fifo_rd_ptr, size, cb, call, site);
    return {thread.core().l1(view.fifo_rd_ptr), buffer.format, buffer.tile};
}

Target pack_target(KernelThread& thread, std::uint32_t cb, std::uint64_t offset, std::uint64_t size,
                   const char* call, const CallSite& site) {
    const CircularBuffer& buffer = buffer_of(thread, cb, call, site);
    const LocalCBInterface& view = thread.cb[cb];
    const std::uint64_t address = view.fifo_wr_ptr + offset;
    if (offset >= std::uint64_t{view.pages_reserved} * view.fifo_page_size &&
        !is_reserved_elsewhere(thread, address, size)) [[unlikely]] {
        // The chip packs at the pointer.
        tolerate(thread, Tolerated::PackNotReserved, FaultCategory::UndefinedBehavior, site, call,
                 "{}(cb {}) writes page {}, but cb_reserve_back has reserved {} pages", call, cb,
                 offset / view.fifo_page_size, view.pages_reserved);
    }
    const DataFormat configured = thread.compute->formats.pack;
    if (configured != buffer.format && configured != DataFormat::Invalid) [[unlikely]] {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}(cb {}): the circular buffer holds {}, but the packer is configured for {}; "
              "pack_reconfig_data_format is missing",
              call, cb, name_of(buffer.format), name_of(configured));
    }
    check_end(thread, address, size, cb, call, site);
    return {thread.core().l1(static_cast<std::uint32_t>(address)), buffer.format, buffer.tile};
}

void refuse_unarmed(const ArmedOperation& armed, const char* call, const char* wanted_init,
                    CallSite site) {
    if (armed.operation == UnitOperation::None) {
        fault(FaultCategory::UndefinedBehavior, site, "{} without {}: no init armed an operation",
              call, wanted_init);
    }
    fault(FaultCategory::UndefinedBehavior, site, "{} after {} ({}:{}): {} is missing", call,
          armed.init, armed.site.file, armed.site.line, wanted_init);
}

void round_for_dst(const Dst& dst, float* tile) {
    if (!dst.is_32bit()) {
        tile::round_to_bf16_tile(tile);
    }
}

}  // namespace tessera
