// SPDX-License-Identifier: Apache-2.0
// TT-Metalium's host API over Tessera's session: devices, programs, kernels, circular buffers,
// semaphores, buffers and runtime arguments. Errors are exceptions; Tessera's own types derive from
// std::runtime_error (docs/existing_programs.md).
#pragma once

// Programs use some standard headers without including them.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "tt-metalium/assert.hpp"
#include "tt-metalium/buffer.hpp"
#include "tt-metalium/circular_buffer_config.hpp"
#include "tt-metalium/command_queue.hpp"
#include "tt-metalium/device.hpp"
#include "tt-metalium/global_semaphore.hpp"
#include "tt-metalium/host_defines.hpp"
#include "tt-metalium/kernel_types.hpp"
#include "tt-metalium/math.hpp"
#include "tt-metalium/program.hpp"
#include "tt-metalium/runtime_args_data.hpp"

namespace tt::tt_metal {

using std::string;  // programs of 2025 use it by this name

namespace distributed {
class MeshDevice;
}

/// Returns the number of devices of the mesh (tessera exec --mesh); 1 by default.
[[nodiscard]] std::size_t GetNumAvailableDevices();
[[nodiscard]] inline std::size_t GetNumPCIeDevices() {
    return GetNumAvailableDevices();
}
[[nodiscard]] inline int GetPCIeDeviceID(int device) {
    return device;
}
[[nodiscard]] inline bool IsGalaxyCluster() {
    return false;
}
/// Sets a folder in which kernel paths are searched (CreateKernel).
void SetRootDir(const std::string& root);

/// Opens a device. The first call opens the emulated mesh.
/// Errors   std::runtime_error if the mesh has no such device.
IDevice* CreateDevice(int device_id, std::uint8_t num_hw_cqs = 1,
                      std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
                      std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
                      const DispatchCoreConfig& dispatch = {},
                      const std::vector<std::uint32_t>& l1_bank_remap = {},
                      std::size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);
IDevice* CreateDeviceMinimal(int device_id, std::uint8_t num_hw_cqs = 1,
                             const DispatchCoreConfig& dispatch = {});
/// Closes a device and releases its buffers. When the last device is closed, writes the trace and
/// the report if options of tessera exec request them.
bool CloseDevice(IDevice* device);

[[nodiscard]] Program CreateProgram();

using KernelConfig = std::variant<DataMovementConfig, ComputeConfig, EthernetConfig>;

/// Adds the kernel in `file`: an absolute path, or a path below one of these folders, in this
/// order: the working directory; the folder of SetRootDir(); $TT_METAL_KERNEL_PATH;
/// $TT_METAL_RUNTIME_ROOT; $TT_METAL_HOME; the parents of the working directory; the folder of the
/// program and its parents; Tessera's own ops.
/// Errors   std::runtime_error if there is no such file, a core has another kernel on that
///          processor, or the kernel is for Ethernet cores.
KernelHandle CreateKernel(Program& program, const std::string& file, const CoreSpecification& cores,
                          const KernelConfig& config);
/// Adds the kernel whose source is `text`.
KernelHandle CreateKernelFromString(Program& program, const std::string& text,
                                    const CoreSpecification& cores, const KernelConfig& config);

/// Adds a circular buffer on each of `cores`, at one address.
/// Errors   std::runtime_error if a page size is missing or does not divide the size, a format is
///          not emulated, or a core uses an index twice.
CBHandle CreateCircularBuffer(Program& program, const CoreSpecification& cores,
                              const CircularBufferConfig& config);
[[nodiscard]] const CircularBufferConfig& GetCircularBufferConfig(Program& program,
                                                                  CBHandle handle);
// Changes of a circular buffer that apply to the next launch.
void UpdateCircularBufferTotalSize(Program& program, CBHandle handle, std::uint32_t total_size);
void UpdateCircularBufferPageSize(Program& program, CBHandle handle, std::uint8_t index,
                                  std::uint32_t page_size);
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle handle, const Buffer& buffer,
                                        std::uint32_t address_offset = 0);
void UpdateDynamicCircularBufferAddressAndTotalSize(Program& program, CBHandle handle,
                                                    const Buffer& buffer, std::uint32_t total_size);

/// Adds a semaphore and returns its id. Every launch writes the initial value.
std::uint32_t CreateSemaphore(Program& program, const CoreSpecification& cores,
                              std::uint32_t initial_value, CoreType type = CoreType::WORKER);

[[nodiscard]] std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config);
[[nodiscard]] std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config,
                                                   DeviceAddr address);
[[nodiscard]] std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config,
                                                   SubDeviceId sub_device);
[[nodiscard]] std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config);
[[nodiscard]] std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config,
                                                   DeviceAddr address);
[[nodiscard]] std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config,
                                                   SubDeviceId sub_device);
void DeallocateBuffer(Buffer& buffer);
/// Keeps the buffer allocated until the program is destroyed.
void AssignGlobalBufferToProgram(const std::shared_ptr<Buffer>& buffer, Program& program);

/// Sets a kernel's arguments on each of `cores`. A later call must have the same number of
/// arguments.
void SetRuntimeArgs(const Program& program, KernelHandle kernel, const CoreSpecification& cores,
                    std::span<const std::uint32_t> args);
void SetRuntimeArgs(const Program& program, KernelHandle kernel, const CoreSpecification& cores,
                    std::initializer_list<std::uint32_t> args);
/// Sets args[i] on cores[i].
void SetRuntimeArgs(const Program& program, KernelHandle kernel,
                    const std::vector<CoreCoord>& cores,
                    const std::vector<std::vector<std::uint32_t>>& args);
/// Sets the arguments that all cores of a kernel share. A second call replaces them.
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel,
                          std::span<const std::uint32_t> args);
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel,
                          std::initializer_list<std::uint32_t> args);
/// Returns a view through which the arguments of the next launch can be changed.
[[nodiscard]] RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle kernel,
                                              const CoreCoord& core);
/// Returns the views of all cores, by [x][y].
[[nodiscard]] std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(const Program& program,
                                                                        KernelHandle kernel);
[[nodiscard]] RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel);

/// Writes predicted times of all launches so far to profile_log_device.csv, in the form of the
/// vendor's device profile. The file is in generated/profiler/.logs below $TT_METAL_HOME, or below
/// the working directory if the variable is not set. A later call replaces the file. Does nothing
/// unless TT_METAL_DEVICE_PROFILER=1, as on a card.
void DumpDeviceProfileResults(IDevice* device, const Program& program);
void ReadMeshDeviceProfilerResults(distributed::MeshDevice& device);

inline void Synchronize(IDevice* /*device*/, std::optional<std::uint8_t> /*queue*/ = std::nullopt,
                        std::span<const SubDeviceId> /*sub_devices*/ = {}) {
}

}  // namespace tt::tt_metal
