// SPDX-License-Identifier: Apache-2.0
// Devices: queries, command queues and sub-devices.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "tt-metalium/allocator.hpp"
#include "tt-metalium/base_types.hpp"
#include "tt-metalium/buffer.hpp"
#include "tt-metalium/core_coord.hpp"
#include "tt-metalium/data_types.hpp"
#include "tt-metalium/sub_device.hpp"

inline constexpr std::size_t DEFAULT_L1_SMALL_SIZE = 0;
inline constexpr std::size_t DEFAULT_TRACE_REGION_SIZE = 0;
inline constexpr std::size_t DEFAULT_WORKER_L1_SIZE = 0;

namespace tt::tt_metal {

class CommandQueue;
namespace detail {
struct DeviceState;
}
namespace distributed {
class MeshDevice;
}

enum class DispatchCoreType : std::uint32_t { WORKER, ETH, COUNT };
enum class DispatchCoreAxis : std::uint32_t { ROW, COL, COUNT };
/// Cores that dispatch programs on a card. The device model excludes them from the compute grid.
class DispatchCoreConfig {
public:
    DispatchCoreConfig() = default;
    DispatchCoreConfig(DispatchCoreType type) : type_(type) {}  // NOLINT: vendor's shape
    DispatchCoreConfig(DispatchCoreType type, DispatchCoreAxis /*axis*/) : type_(type) {}
    [[nodiscard]] DispatchCoreType get_dispatch_core_type() const { return type_; }

private:
    DispatchCoreType type_ = DispatchCoreType::WORKER;
};

/// One device, or the devices of a mesh. Coordinates are logical unless a name says otherwise.
class IDevice {
public:
    explicit IDevice(std::unique_ptr<detail::DeviceState> state);
    virtual ~IDevice();
    IDevice(const IDevice&) = delete;
    IDevice& operator=(const IDevice&) = delete;

    [[nodiscard]] ARCH arch() const;
    [[nodiscard]] int id() const;
    [[nodiscard]] int build_id() const { return id(); }
    [[nodiscard]] std::uint8_t num_hw_cqs() const;
    [[nodiscard]] bool is_initialized() const;
    [[nodiscard]] bool is_mmio_capable() const { return true; }
    [[nodiscard]] int num_dram_channels() const;
    [[nodiscard]] std::uint32_t l1_size_per_core() const;
    [[nodiscard]] std::uint32_t dram_size_per_channel() const;
    [[nodiscard]] int get_clock_rate_mhz() const;
    [[nodiscard]] CoreCoord grid_size() const;
    [[nodiscard]] CoreCoord logical_grid_size() const;
    [[nodiscard]] CoreCoord dram_grid_size() const;
    /// Returns the grid that programs may use.
    [[nodiscard]] CoreCoord compute_with_storage_grid_size() const;

    /// Returns the coordinate that kernels use in NoC addresses.
    [[nodiscard]] CoreCoord worker_core_from_logical_core(const CoreCoord& core) const;
    /// Older name of worker_core_from_logical_core().
    [[nodiscard]] CoreCoord physical_core_from_logical_core(const CoreCoord& core,
                                                            CoreType type = CoreType::WORKER) const;
    [[nodiscard]] CoreCoord virtual_core_from_logical_core(const CoreCoord& core,
                                                           const CoreType& type) const;
    [[nodiscard]] std::vector<CoreCoord> worker_cores_from_logical_cores(
        const std::vector<CoreCoord>& cores) const;
    [[nodiscard]] CoreCoord logical_core_from_dram_channel(std::uint32_t channel) const;
    [[nodiscard]] std::uint32_t dram_channel_from_logical_core(const CoreCoord& core) const;
    [[nodiscard]] std::uint32_t get_noc_unicast_encoding(std::uint8_t noc,
                                                         const CoreCoord& core) const;
    [[nodiscard]] std::uint32_t get_noc_multicast_encoding(std::uint8_t noc,
                                                           const CoreRange& cores) const;
    [[nodiscard]] std::vector<CoreCoord> get_optimal_dram_bank_to_logical_worker_assignment(
        NOC noc = NOC::NOC_0);
    [[nodiscard]] CoreRangeSet worker_cores(HalProgrammableCoreType type, SubDeviceId id) const;
    [[nodiscard]] std::uint32_t num_worker_cores(HalProgrammableCoreType type,
                                                 SubDeviceId id) const;
    /// Returns no cores: Tessera emulates no Ethernet cores.
    [[nodiscard]] std::unordered_set<CoreCoord> get_active_ethernet_cores(bool = false) const {
        return {};
    }
    [[nodiscard]] std::unordered_set<CoreCoord> get_inactive_ethernet_cores() const { return {}; }

    [[nodiscard]] const std::unique_ptr<Allocator>& allocator() const;
    [[nodiscard]] const std::unique_ptr<Allocator>& allocator(SubDeviceId) const {
        return allocator();
    }
    /// Returns the number of banks of a memory.
    [[nodiscard]] std::uint32_t num_banks(const BufferType& type) const;
    [[nodiscard]] std::uint32_t get_allocator_alignment() const;
    [[nodiscard]] std::optional<DeviceAddr> lowest_occupied_compute_l1_address() const;

    [[nodiscard]] CommandQueue& command_queue(std::size_t id = 0);
    virtual bool close();
    void enable_program_cache() {}
    void disable_and_clear_program_cache() {}
    void enable_async(bool) {}
    void synchronize() {}

    SubDeviceManagerId create_sub_device_manager(std::span<const SubDevice> sub_devices,
                                                 DeviceAddr local_l1_size);
    SubDeviceManagerId create_sub_device_manager(std::initializer_list<SubDevice> sub_devices,
                                                 DeviceAddr local_l1_size);
    void remove_sub_device_manager(SubDeviceManagerId id);
    void load_sub_device_manager(SubDeviceManagerId id);
    void clear_loaded_sub_device_manager();
    [[nodiscard]] const std::vector<SubDeviceId>& get_sub_device_ids() const;
    [[nodiscard]] std::uint32_t num_sub_devices() const;
    void set_sub_device_stall_group(std::span<const SubDeviceId> /*ids*/) {}
    void reset_sub_device_stall_group() {}

    [[nodiscard]] detail::DeviceState& state() const { return *state_; }

private:
    std::unique_ptr<detail::DeviceState> state_;
};
using Device = IDevice;

}  // namespace tt::tt_metal
