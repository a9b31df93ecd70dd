// SPDX-License-Identifier: Apache-2.0
// Bytes between the host and buffers, L1 and DRAM.
#include <algorithm>
#include <array>
#include <cstring>

#include "emu/mesh/device.hpp"
#include "runtime/metalium/buffer_state.hpp"
#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/device_state.hpp"
#include "runtime/session/device_pages.hpp"
#include "tessera/errors.hpp"
#include "tt-metalium/tt_metal.hpp"

namespace tt::tt_metal {

using tessera::require;
using tessera::metalium::to_tessera;

namespace detail {
namespace {

/// Calls visit(page bytes, bytes of the range) for each page that a range of a buffer touches.
template <class Bytes, class Visit>
void for_each_part(const BufferState& state, std::size_t device, DeviceAddr offset, Bytes range,
                   Visit visit) {
    require(state.is_allocated, "the buffer was deallocated");
    require(offset <= state.size && range.size() <= state.size - offset,
            "bytes {} to {} of a buffer of {} bytes", offset, offset + range.size(), state.size);
    const tessera::Buffer& buffer = state.tensors[device].buffer;
    const tessera::DevicePages pages(state.session->device(buffer.device), buffer);
    while (!range.empty()) {
        const std::size_t begin = offset % buffer.page_size;
        const std::size_t bytes = std::min<std::size_t>(buffer.page_size - begin, range.size());
        const auto page = pages.page(static_cast<std::uint32_t>(offset / buffer.page_size));
        visit(page.subspan(begin, bytes), range.first(bytes));
        range = range.subspan(bytes);
        offset += bytes;
    }
}

std::span<std::byte> bytes_of_l1(IDevice* device, const CoreCoord& core, std::uint32_t address,
                                 std::size_t bytes, CoreType type) {
    const tessera::ArchSpec& arch = device->state().session->arch();
    const CoreCoord grid = device->compute_with_storage_grid_size();
    require(type == CoreType::WORKER, "L1 of a core that is not a worker; allowed: worker cores");
    require(core.x < grid.x && core.y < grid.y, "L1 of core {}: the grid is {}x{}", core, grid.x,
            grid.y);
    require(address <= arch.l1.size.value && bytes <= arch.l1.size.value - address,
            "L1 of core {}: bytes {:#x} to {:#x}, allowed: 0 to {:#x}", core, address,
            address + bytes, arch.l1.size.value);
    auto& emulated = device->state().session->device(device->state().ids.front());
    return {emulated.core(to_tessera(core)).l1(address), bytes};
}

std::span<std::byte> bytes_of_bank(IDevice* device, int bank, std::uint32_t address,
                                   std::size_t bytes) {
    const tessera::DramSpec& dram = device->state().session->arch().dram;
    require(bank >= 0 && static_cast<std::uint32_t>(bank) < dram.num_banks,
            "DRAM bank {}: allowed: 0 to {}", bank, dram.num_banks - 1);
    require(address <= dram.bank_size.value && bytes <= dram.bank_size.value - address,
            "DRAM bank {}: bytes {:#x} to {:#x}, allowed: 0 to {:#x}", bank, address,
            address + bytes, dram.bank_size.value);
    auto& emulated = device->state().session->device(device->state().ids.front());
    return {emulated.dram.bank(static_cast<std::uint32_t>(bank)) + address, bytes};
}

void copy(std::span<std::byte> target, std::span<const std::uint8_t> source) {
    std::memcpy(target.data(), source.data(), source.size());
}
void copy(std::span<std::uint8_t> target, std::span<const std::byte> source) {
    std::memcpy(target.data(), source.data(), source.size());
}

std::span<const std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
    return {reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4};
}
std::span<std::uint8_t> resized(std::vector<std::uint32_t>& words, std::uint32_t bytes) {
    words.assign((bytes + 3) / 4, 0);
    return {reinterpret_cast<std::uint8_t*>(words.data()), bytes};
}

}  // namespace

void write_bytes(const BufferState& state, std::size_t device, DeviceAddr offset,
                 std::span<const std::byte> source) {
    for_each_part(state, device, offset, source,
                  [](auto page, auto part) { std::memcpy(page.data(), part.data(), part.size()); });
}

void read_bytes(const BufferState& state, std::size_t device, DeviceAddr offset,
                std::span<std::byte> target) {
    for_each_part(state, device, offset, target,
                  [](auto page, auto part) { std::memcpy(part.data(), page.data(), part.size()); });
}

std::size_t bytes_to_copy(std::size_t given, std::size_t needed) {
    if (given < needed) {
        fmt::print(stderr,
                   "warning: a host vector of {} bytes for a transfer of {}; the rest of the "
                   "buffer keeps its bytes\n",
                   given, needed);
    }
    return std::min(given, needed);
}

void WriteToBuffer(Buffer& buffer, std::span<const std::uint8_t> host) {
    const auto source = std::as_bytes(host);
    for (std::size_t i = 0; i < buffer.state().tensors.size(); ++i) {
        write_bytes(buffer.state(), i, 0, source);
    }
}

void ReadFromBuffer(Buffer& buffer, std::uint8_t* host) {
    read_bytes(buffer.state(), 0, 0, {reinterpret_cast<std::byte*>(host), buffer.size()});
}

void ReadShard(Buffer& buffer, std::uint8_t* host, const std::uint32_t& core_id) {
    const BufferState& state = buffer.state();
    const tessera::Buffer& memory = state.tensors.front().buffer;
    require(memory.shard.has_value(), "ReadShard: the buffer is interleaved");
    const std::vector<tessera::CoreCoord> cores = tessera::shard_cores(*memory.shard);
    require(core_id < cores.size(), "ReadShard: shard {} of {}", core_id, cores.size());
    const auto& device = state.session->device(memory.device);
    const std::size_t bytes = buffer.shard_spec().num_pages() * memory.aligned_page_size;
    const std::byte* shard = memory.type == tessera::BufferType::DRAM
                                 ? device.dram.bank(cores[core_id].x) + memory.address
                                 : device.core(cores[core_id]).l1(memory.address);
    for (std::size_t at = 0; at < bytes; at += memory.aligned_page_size) {
        std::memcpy(host, shard + at, memory.page_size);
        host += memory.page_size;
    }
}

bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                     std::span<const std::uint8_t> host, CoreType type) {
    copy(bytes_of_l1(device, logical_core, address, host.size(), type), host);
    return true;
}
bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                     const std::vector<std::uint32_t>& host, CoreType type) {
    return WriteToDeviceL1(device, logical_core, address, bytes_of(host), type);
}
bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                      std::span<std::uint8_t> host, CoreType type) {
    copy(host, bytes_of_l1(device, logical_core, address, host.size(), type));
    return true;
}
bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                      std::uint32_t size, std::vector<std::uint32_t>& host, CoreType type) {
    return ReadFromDeviceL1(device, logical_core, address, resized(host, size), type);
}
bool WriteToDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address,
                              std::span<const std::uint8_t> host) {
    copy(bytes_of_bank(device, bank, address, host.size()), host);
    return true;
}
bool WriteToDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address,
                              const std::vector<std::uint32_t>& host) {
    return WriteToDeviceDRAMChannel(device, bank, address, bytes_of(host));
}
bool ReadFromDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address,
                               std::span<std::uint8_t> host) {
    copy(host, bytes_of_bank(device, bank, address, host.size()));
    return true;
}
bool ReadFromDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address, std::uint32_t size,
                               std::vector<std::uint32_t>& host) {
    return ReadFromDeviceDRAMChannel(device, bank, address, resized(host, size));
}

}  // namespace detail

void EnqueueWriteSubBuffer(CommandQueue& /*queue*/, const BufferReference& buffer,
                           const void* source, const BufferRegion& region, bool /*blocking*/) {
    const detail::BufferState& state = detail::buffer_of(buffer).state();
    const std::span bytes(static_cast<const std::byte*>(source), region.size);
    for (std::size_t i = 0; i < state.tensors.size(); ++i) {
        detail::write_bytes(state, i, region.offset, bytes);
    }
}

void EnqueueWriteBuffer(CommandQueue& queue, const BufferReference& buffer, const void* source,
                        bool blocking) {
    EnqueueWriteSubBuffer(queue, buffer, source, {0, detail::buffer_of(buffer).size()}, blocking);
}

void EnqueueReadSubBuffer(CommandQueue& /*queue*/, const BufferReference& buffer, void* target,
                          const BufferRegion& region, bool /*blocking*/) {
    detail::read_bytes(detail::buffer_of(buffer).state(), 0, region.offset,
                       {static_cast<std::byte*>(target), region.size});
}

void EnqueueReadBuffer(CommandQueue& queue, const BufferReference& buffer, void* target,
                       bool blocking) {
    EnqueueReadSubBuffer(queue, buffer, target, {0, detail::buffer_of(buffer).size()}, blocking);
}

// A semaphore has one page on each core. A word needs 4 bytes; 16 keep the next page aligned.
constexpr std::uint32_t kSemaphorePage = 16;

GlobalSemaphore::GlobalSemaphore(IDevice* device, const CoreRangeSet& cores,
                                 std::uint32_t initial_value, BufferType type) {
    const std::uint32_t num_cores = cores.num_cores();
    const ShardSpecBuffer shards(cores, {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1},
                                 {num_cores, 1});
    buffer_ = Buffer::create(device, DeviceAddr{num_cores} * kSemaphorePage, kSemaphorePage, type,
                             BufferShardingArgs(shards, TensorMemoryLayout::HEIGHT_SHARDED));
    reset_semaphore_value(initial_value);
}

void GlobalSemaphore::reset_semaphore_value(std::uint32_t value) const {
    const detail::BufferState& state = buffer_->state();
    const std::array<std::uint32_t, kSemaphorePage / sizeof(value)> page{value};
    for (std::size_t i = 0; i < state.tensors.size(); ++i) {
        for (DeviceAddr at = 0; at < state.size; at += kSemaphorePage) {
            detail::write_bytes(state, i, at, std::as_bytes(std::span(page)));
        }
    }
}

GlobalSemaphore CreateGlobalSemaphore(IDevice* device, const CoreRangeSet& cores,
                                      std::uint32_t initial_value, BufferType type) {
    return {device, cores, initial_value, type};
}

}  // namespace tt::tt_metal
