// SPDX-License-Identifier: Apache-2.0
// Queries of a device: answers from its model.
#include <algorithm>

#include "emu/mesh/device.hpp"
#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/device_state.hpp"
#include "tessera/errors.hpp"
#include "tt-metalium/device.hpp"

namespace tt {

std::string arch_to_str(ARCH arch) {
    switch (arch) {
        case ARCH::GRAYSKULL:
            return "grayskull";
        case ARCH::WORMHOLE:
        case ARCH::WORMHOLE_B0:
            return "wormhole_b0";
        case ARCH::BLACKHOLE:
            return "blackhole";
        case ARCH::QUASAR:
            return "quasar";
        case ARCH::Invalid:
            break;
    }
    return "invalid";
}

namespace tt_metal {

using tessera::require;
using tessera::metalium::HostSession;
using tessera::metalium::to_metalium;
using tessera::metalium::to_tessera;

namespace {

const tessera::ArchSpec& arch_of(const IDevice& device) {
    return device.state().session->arch();
}

bool is_dram(BufferType type) {
    return type == BufferType::DRAM || type == BufferType::TRACE;
}

// A NoC coordinate in the form of kernels' get_noc_addr: y above x, six bits each.
std::uint32_t encoded(const CoreCoord& core) {
    return static_cast<std::uint32_t>(core.y << 6U | core.x);
}

}  // namespace

ARCH IDevice::arch() const {
    return arch_of(*this).architecture == "blackhole" ? ARCH::BLACKHOLE : ARCH::WORMHOLE_B0;
}
int IDevice::id() const {
    return static_cast<int>(state_->ids.front());
}
std::uint8_t IDevice::num_hw_cqs() const {
    return static_cast<std::uint8_t>(state_->num_queues);
}
bool IDevice::is_initialized() const {
    return state_->is_open;
}
int IDevice::num_dram_channels() const {
    return static_cast<int>(arch_of(*this).dram.num_banks);
}
std::uint32_t IDevice::l1_size_per_core() const {
    return static_cast<std::uint32_t>(arch_of(*this).l1.size.value);
}
std::uint32_t IDevice::dram_size_per_channel() const {
    return static_cast<std::uint32_t>(arch_of(*this).dram.bank_size.value);
}
int IDevice::get_clock_rate_mhz() const {
    return static_cast<int>(arch_of(*this).clock.value / 1'000'000);
}
CoreCoord IDevice::grid_size() const {
    return {arch_of(*this).noc.grid.columns, arch_of(*this).noc.grid.rows};
}
CoreCoord IDevice::logical_grid_size() const {
    return compute_with_storage_grid_size();
}
CoreCoord IDevice::dram_grid_size() const {
    return {arch_of(*this).dram.num_banks, 1};
}
CoreCoord IDevice::compute_with_storage_grid_size() const {
    const tessera::GridSize grid = arch_of(*this).workers.compute;
    return {grid.columns, grid.rows};
}

CoreCoord IDevice::worker_core_from_logical_core(const CoreCoord& core) const {
    const tessera::CoreCoord origin = arch_of(*this).workers.virtual_origin;
    const CoreCoord grid = compute_with_storage_grid_size();
    require(core.x < grid.x && core.y < grid.y,
            "worker_core_from_logical_core: core {} is outside the {}x{} grid", core, grid.x,
            grid.y);
    return {origin.x + core.x, origin.y + core.y};
}

CoreCoord IDevice::physical_core_from_logical_core(const CoreCoord& core, CoreType type) const {
    return virtual_core_from_logical_core(core, type);
}

CoreCoord IDevice::virtual_core_from_logical_core(const CoreCoord& core,
                                                  const CoreType& type) const {
    require(type == CoreType::WORKER || type == CoreType::DRAM,
            "virtual_core_from_logical_core: allowed: worker and DRAM cores");
    if (type == CoreType::WORKER) {
        return worker_core_from_logical_core(core);
    }
    const tessera::DramSpec& dram = arch_of(*this).dram;
    require(core.x < dram.num_banks && core.y == 0,
            "virtual_core_from_logical_core: DRAM bank {}, allowed: (0,0) to ({},0)", core,
            dram.num_banks - 1);
    return to_metalium(dram.endpoints[core.x].noc);
}

std::vector<CoreCoord> IDevice::worker_cores_from_logical_cores(
    const std::vector<CoreCoord>& cores) const {
    std::vector<CoreCoord> result;
    result.reserve(cores.size());
    for (const CoreCoord& core : cores) {
        result.push_back(worker_core_from_logical_core(core));
    }
    return result;
}

CoreCoord IDevice::logical_core_from_dram_channel(std::uint32_t channel) const {
    return {channel, 0};
}
std::uint32_t IDevice::dram_channel_from_logical_core(const CoreCoord& core) const {
    return static_cast<std::uint32_t>(core.x);
}
std::uint32_t IDevice::get_noc_unicast_encoding(std::uint8_t /*noc*/, const CoreCoord& core) const {
    return encoded(core);
}
std::uint32_t IDevice::get_noc_multicast_encoding(std::uint8_t noc, const CoreRange& cores) const {
    // NoC 1 counts from the opposite corner.
    const CoreCoord& first = noc == 0 ? cores.start_coord : cores.end_coord;
    const CoreCoord& last = noc == 0 ? cores.end_coord : cores.start_coord;
    return encoded(first) << 12U | encoded(last);
}

// Neighbouring cores of one row: no core has two banks, which is what programs rely on. The vendor's
// member is not const, and neither are functions that override it.
// NOLINTNEXTLINE(readability-make-member-function-const)
std::vector<CoreCoord> IDevice::get_optimal_dram_bank_to_logical_worker_assignment(NOC /*noc*/) {
    const CoreCoord grid = compute_with_storage_grid_size();
    std::vector<CoreCoord> cores;
    for (std::size_t bank = 0; bank < arch_of(*this).dram.num_banks; ++bank) {
        cores.emplace_back(bank % grid.x, bank / grid.x);
    }
    return cores;
}

std::uint32_t IDevice::num_banks(const BufferType& type) const {
    return allocator()->get_num_banks(type);
}
std::uint32_t IDevice::get_allocator_alignment() const {
    return allocator()->get_alignment(BufferType::DRAM);
}
std::optional<DeviceAddr> IDevice::lowest_occupied_compute_l1_address() const {
    const auto& l1 = state_->session->device(state_->ids.front()).l1_allocator;
    return l1.bytes_held() == 0 ? std::nullopt : std::optional<DeviceAddr>(l1.lowest_held());
}

std::uint32_t Allocator::get_num_banks(BufferType type) const {
    const tessera::ArchSpec& arch = HostSession::open().arch();
    return is_dram(type) ? arch.dram.num_banks
                         : arch.workers.compute.columns * arch.workers.compute.rows;
}
std::int32_t Allocator::get_bank_offset(BufferType type, std::uint32_t bank) const {
    require(bank < get_num_banks(type), "get_bank_offset: bank {} of {}", bank,
            get_num_banks(type));
    return is_dram(type) ? static_cast<std::int32_t>(
                               HostSession::open().arch().dram.endpoints[bank].bank_offset.value)
                         : 0;
}
std::uint32_t Allocator::get_alignment(BufferType type) const {
    const tessera::ArchSpec& arch = HostSession::open().arch();
    const tessera::Bytes alignment = is_dram(type) ? arch.dram.alignment : arch.l1.alignment;
    return static_cast<std::uint32_t>(alignment.value);
}
DeviceAddr Allocator::get_bank_size(BufferType type) const {
    const tessera::ArchSpec& arch = HostSession::open().arch();
    return is_dram(type) ? arch.dram.bank_size.value : arch.l1.size.value;
}
DeviceAddr Allocator::get_base_allocator_addr(HalMemType memory) const {
    const tessera::ArchSpec& arch = HostSession::open().arch();
    const tessera::Bytes reserved =
        memory == HalMemType::DRAM ? arch.dram.reserved : arch.l1.reserved;
    return reserved.value;
}
std::uint32_t Allocator::get_dram_channel_from_bank_id(std::uint32_t bank) const {
    return bank;
}
CoreCoord Allocator::get_logical_core_from_bank_id(std::uint32_t bank) const {
    require(bank < get_num_banks(BufferType::L1), "get_logical_core_from_bank_id: bank {} of {}",
            bank, get_num_banks(BufferType::L1));
    return to_metalium(HostSession::open().device(device_).bank_layout().l1_banks[bank]);
}

}  // namespace tt_metal
}  // namespace tt
