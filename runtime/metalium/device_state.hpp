// SPDX-License-Identifier: Apache-2.0
// Contents of TT-Metalium's device objects.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/metalium/host_session.hpp"
#include "tt-metalium/command_queue.hpp"
#include "tt-metalium/device.hpp"

namespace tt::tt_metal::detail {

/// Programs of one call, as they were when a trace recorded them.
struct RecordedLaunch {
    std::string name;
    std::vector<tessera::DeviceProgram> programs;
};

struct DeviceState {
    tessera::metalium::HostSession* session = nullptr;
    std::vector<std::uint32_t> ids;  ///< devices of the session, row by row
    std::size_t num_queues = 1;
    bool is_open = true;
    bool owns_buffers = true;  ///< false for views of a mesh's devices
    std::unique_ptr<Allocator> allocator;
    std::vector<std::unique_ptr<CommandQueue>> queues;

    std::map<std::uint64_t, std::vector<SubDevice>> managers;
    std::optional<std::uint64_t> loaded_manager;
    std::vector<SubDeviceId> sub_device_ids{SubDeviceId(0)};
    std::uint64_t next_manager = 1;

    std::map<std::uint32_t, std::vector<RecordedLaunch>> traces;
    std::optional<std::uint32_t> recording;
    std::uint32_t next_trace = 1;
};

/// Makes the state of a device with these ids and registers it as a user of the session.
[[nodiscard]] std::unique_ptr<DeviceState> make_device_state(
    tessera::metalium::HostSession& session, std::vector<std::uint32_t> ids,
    std::size_t num_queues);

/// Runs the programs, or records them if the device records a trace.
void run(DeviceState& device, RecordedLaunch launch);
std::uint32_t begin_trace(DeviceState& device);
void end_trace(DeviceState& device, std::uint32_t trace);
/// Errors   UsageError if the device has no such trace.
void replay_trace(DeviceState& device, std::uint32_t trace);

}  // namespace tt::tt_metal::detail
