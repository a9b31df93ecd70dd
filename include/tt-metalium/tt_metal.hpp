// SPDX-License-Identifier: Apache-2.0
// Calls that need no command queue: transfers, launches, and L1 and DRAM by address.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tt-metalium/host_api.hpp"
#include "tt-metalium/tt_metal_profiler.hpp"

namespace tt::tt_metal::detail {

[[nodiscard]] std::map<int, IDevice*> CreateDevices(
    const std::vector<int>& device_ids, std::uint8_t num_hw_cqs = 1,
    std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
    std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
    const DispatchCoreConfig& dispatch = {}, const std::vector<std::uint32_t>& l1_bank_remap = {},
    std::size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);
void CloseDevices(const std::map<int, IDevice*>& devices);
/// Returns an open device, or null.
[[nodiscard]] IDevice* GetActiveDevice(int device_id);
/// Returns true: programs that ask for fast or for slow dispatch run alike.
[[nodiscard]] inline bool DispatchStateCheck(bool /*is_fast_dispatch*/) {
    return true;
}

/// Writes the buffer from its start. Bytes past the end of `host` keep their values.
void WriteToBuffer(Buffer& buffer, std::span<const std::uint8_t> host);
template <class T>
void WriteToBuffer(Buffer& buffer, const std::vector<T>& host) {
    WriteToBuffer(buffer,
                  std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(host.data()),
                                                host.size() * sizeof(T)));
}
template <class T>
void WriteToBuffer(const std::shared_ptr<Buffer>& buffer, const std::vector<T>& host) {
    WriteToBuffer(*buffer, host);
}
inline void WriteToBuffer(const std::shared_ptr<Buffer>& buffer,
                          std::span<const std::uint8_t> host) {
    WriteToBuffer(*buffer, host);
}

/// Reads the whole buffer.
void ReadFromBuffer(Buffer& buffer, std::uint8_t* host);
/// Reads the whole buffer into `host`, which is resized.
template <class T>
void ReadFromBuffer(Buffer& buffer, std::vector<T>& host, bool /*shard_order*/ = false) {
    host.resize(buffer.size() / sizeof(T));
    ReadFromBuffer(buffer, reinterpret_cast<std::uint8_t*>(host.data()));
}
template <class T>
void ReadFromBuffer(const std::shared_ptr<Buffer>& buffer, std::vector<T>& host,
                    bool shard_order = false) {
    ReadFromBuffer(*buffer, host, shard_order);
}
/// Reads the shard of core number `core_id`, counted in the order of the shards.
void ReadShard(Buffer& buffer, std::uint8_t* host, const std::uint32_t& core_id);
template <class T>
void ReadShard(Buffer& buffer, std::vector<T>& host, const std::uint32_t& core_id) {
    host.resize(buffer.page_size() * buffer.shard_spec().num_pages() / sizeof(T));
    ReadShard(buffer, reinterpret_cast<std::uint8_t*>(host.data()), core_id);
}

/// Runs the program until all its kernels have returned.
void LaunchProgram(IDevice* device, Program& program, bool wait_until_cores_done = true,
                   bool force_slow_dispatch = false);
inline void LaunchProgram(IDevice* device, const std::shared_ptr<Program>& program,
                          bool wait_until_cores_done = true, bool force_slow_dispatch = false) {
    LaunchProgram(device, *program, wait_until_cores_done, force_slow_dispatch);
}
inline void WaitProgramDone(IDevice* /*device*/, Program& /*program*/, bool /*dump*/ = true) {
}
/// Checks nothing: kernels are compiled by the launch.
inline void CompileProgram(IDevice* /*device*/, Program& /*program*/, bool /*slow*/ = false) {
}
inline void WriteRuntimeArgsToDevice(IDevice* /*device*/, Program& /*program*/,
                                     bool /*slow*/ = false) {
}
inline bool ConfigureDeviceWithProgram(IDevice* /*device*/, Program& /*program*/,
                                       bool /*slow*/ = false) {
    return true;
}

// Transfers to and from memory by address.
// Errors   std::runtime_error if a range is not inside the memory.
bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                     std::span<const std::uint8_t> host, CoreType type = CoreType::WORKER);
bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                     const std::vector<std::uint32_t>& host, CoreType type = CoreType::WORKER);
bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                      std::span<std::uint8_t> host, CoreType type = CoreType::WORKER);
/// Reads `size` bytes from `address` on.
bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, std::uint32_t address,
                      std::uint32_t size, std::vector<std::uint32_t>& host,
                      CoreType type = CoreType::WORKER);
bool WriteToDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address,
                              std::span<const std::uint8_t> host);
bool WriteToDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address,
                              const std::vector<std::uint32_t>& host);
bool ReadFromDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address,
                               std::span<std::uint8_t> host);
bool ReadFromDeviceDRAMChannel(IDevice* device, int bank, std::uint32_t address, std::uint32_t size,
                               std::vector<std::uint32_t>& host);

[[nodiscard]] std::string get_platform_architecture_name();

}  // namespace tt::tt_metal::detail
