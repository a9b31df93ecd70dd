// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/device.hpp"

#include <algorithm>
#include <array>

#include "emu/mesh/device.hpp"
#include "runtime/metalium/buffer_state.hpp"
#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/device_state.hpp"
#include "tessera/errors.hpp"
#include "tt-metalium/host_api.hpp"
#include "tt-metalium/tt_metal.hpp"

namespace tt::tt_metal {

using tessera::require;
using tessera::metalium::HostSession;

namespace detail {
namespace {

/// Devices of CreateDevice by id. Closed ones stay, because programs keep pointers to them.
std::map<int, std::vector<std::unique_ptr<IDevice>>>& created_devices() {
    static std::map<int, std::vector<std::unique_ptr<IDevice>>> devices;
    return devices;
}

}  // namespace

std::unique_ptr<DeviceState> make_device_state(HostSession& session, std::vector<std::uint32_t> ids,
                                               std::size_t num_queues) {
    for (const std::uint32_t id : ids) {
        static_cast<void>(session.device(id));
    }
    auto state = std::make_unique<DeviceState>();
    state->session = &session;
    state->num_queues = num_queues;
    state->allocator = std::make_unique<Allocator>(ids.front());
    state->ids = std::move(ids);
    session.add_user();
    return state;
}

void run(DeviceState& device, RecordedLaunch launch) {
    require(device.is_open, "{}: the device is closed", launch.name);
    if (device.recording) {
        device.traces[*device.recording].push_back(std::move(launch));
    } else {
        device.session->launch(launch.name, launch.programs);
    }
}

std::uint32_t begin_trace(DeviceState& device) {
    require(!device.recording, "BeginTraceCapture: trace {} is still being recorded",
            device.recording.value_or(0));
    device.recording = device.next_trace++;
    device.traces[*device.recording].clear();
    return *device.recording;
}

void end_trace(DeviceState& device, std::uint32_t trace) {
    require(device.recording == trace, "EndTraceCapture: trace {} is not being recorded", trace);
    device.recording.reset();
}

void replay_trace(DeviceState& device, std::uint32_t trace) {
    const auto found = device.traces.find(trace);
    require(found != device.traces.end() && device.recording != trace,
            "ReplayTrace: there is no recorded trace {}", trace);
    for (const RecordedLaunch& launch : found->second) {
        device.session->launch(launch.name, launch.programs);
    }
}

std::map<int, IDevice*> CreateDevices(const std::vector<int>& device_ids, std::uint8_t num_hw_cqs,
                                      std::size_t l1_small_size, std::size_t trace_region_size,
                                      const DispatchCoreConfig& dispatch,
                                      const std::vector<std::uint32_t>& l1_bank_remap,
                                      std::size_t worker_l1_size) {
    std::map<int, IDevice*> devices;
    for (const int id : device_ids) {
        devices[id] = CreateDevice(id, num_hw_cqs, l1_small_size, trace_region_size, dispatch,
                                   l1_bank_remap, worker_l1_size);
    }
    return devices;
}

void CloseDevices(const std::map<int, IDevice*>& devices) {
    for (const auto& [id, device] : devices) {
        CloseDevice(device);
    }
}

IDevice* GetActiveDevice(int device_id) {
    const auto found = created_devices().find(device_id);
    return found != created_devices().end() && found->second.back()->is_initialized()
               ? found->second.back().get()
               : nullptr;
}

std::string get_platform_architecture_name() {
    return arch_to_str(created_devices().empty()
                           ? ARCH::WORMHOLE_B0
                           : created_devices().begin()->second.back()->arch());
}

}  // namespace detail

std::size_t GetNumAvailableDevices() {
    return HostSession::known_shape().num_devices();
}

IDevice* CreateDevice(int device_id, std::uint8_t num_hw_cqs, std::size_t /*l1_small_size*/,
                      std::size_t /*trace_region_size*/, const DispatchCoreConfig& /*dispatch*/,
                      const std::vector<std::uint32_t>& /*l1_bank_remap*/,
                      std::size_t /*worker_l1_size*/) {
    require(device_id >= 0, "CreateDevice: device {}, allowed: 0 and above", device_id);
    require(detail::GetActiveDevice(device_id) == nullptr, "CreateDevice: device {} is open",
            device_id);
    auto state = detail::make_device_state(HostSession::open(),
                                           {static_cast<std::uint32_t>(device_id)}, num_hw_cqs);
    auto& devices = detail::created_devices()[device_id];
    devices.push_back(std::make_unique<IDevice>(std::move(state)));
    return devices.back().get();
}

IDevice* CreateDeviceMinimal(int device_id, std::uint8_t num_hw_cqs,
                             const DispatchCoreConfig& dispatch) {
    return CreateDevice(device_id, num_hw_cqs, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE,
                        dispatch);
}

bool CloseDevice(IDevice* device) {
    return device->close();
}

IDevice::IDevice(std::unique_ptr<detail::DeviceState> state) : state_(std::move(state)) {
}
IDevice::~IDevice() = default;

// NOLINTNEXTLINE(readability-make-member-function-const): the vendor's signature
bool IDevice::close() {
    if (!state_->is_open) {
        return false;
    }
    state_->is_open = false;
    if (state_->owns_buffers) {
        detail::release_buffers_of(*this);
        state_->session->remove_user();
    }
    return true;
}

const std::unique_ptr<Allocator>& IDevice::allocator() const {
    return state_->allocator;
}

CommandQueue& IDevice::command_queue(std::size_t id) {
    auto& queues = state_->queues;
    require(id < std::max<std::size_t>(state_->num_queues, 1),
            "command_queue: queue {} of a device opened with {}", id, state_->num_queues);
    while (queues.size() <= id) {
        queues.push_back(
            std::make_unique<CommandQueue>(this, static_cast<std::uint32_t>(queues.size())));
    }
    return *queues[id];
}

SubDeviceManagerId IDevice::create_sub_device_manager(std::span<const SubDevice> sub_devices,
                                                      DeviceAddr /*local_l1_size*/) {
    const std::uint64_t id = state_->next_manager++;
    state_->managers[id].assign(sub_devices.begin(), sub_devices.end());
    return SubDeviceManagerId(id);
}

SubDeviceManagerId IDevice::create_sub_device_manager(std::initializer_list<SubDevice> sub_devices,
                                                      DeviceAddr local_l1_size) {
    return create_sub_device_manager(std::span<const SubDevice>(sub_devices), local_l1_size);
}

void IDevice::remove_sub_device_manager(SubDeviceManagerId id) {
    require(state_->loaded_manager != id.get(), "remove_sub_device_manager: manager {} is loaded",
            id.get());
    state_->managers.erase(id.get());
}

void IDevice::load_sub_device_manager(SubDeviceManagerId id) {
    const auto found = state_->managers.find(id.get());
    require(found != state_->managers.end(), "load_sub_device_manager: there is no manager {}",
            id.get());
    state_->loaded_manager = id.get();
    state_->sub_device_ids.clear();
    for (std::size_t i = 0; i < found->second.size(); ++i) {
        state_->sub_device_ids.emplace_back(static_cast<std::uint8_t>(i));
    }
}

void IDevice::clear_loaded_sub_device_manager() {
    state_->loaded_manager.reset();
    state_->sub_device_ids.assign(1, SubDeviceId(0));
}

const std::vector<SubDeviceId>& IDevice::get_sub_device_ids() const {
    return state_->sub_device_ids;
}

std::uint32_t IDevice::num_sub_devices() const {
    return static_cast<std::uint32_t>(state_->sub_device_ids.size());
}

CoreRangeSet IDevice::worker_cores(HalProgrammableCoreType type, SubDeviceId id) const {
    require(id.get() < num_sub_devices(), "worker_cores: sub-device {} of {}", id.get(),
            num_sub_devices());
    if (type != HalProgrammableCoreType::TENSIX) {
        return {};
    }
    if (state_->loaded_manager) {
        return state_->managers.at(*state_->loaded_manager)[id.get()].cores(type);
    }
    const CoreCoord grid = compute_with_storage_grid_size();
    return CoreRange({0, 0}, {grid.x - 1, grid.y - 1});
}

std::uint32_t IDevice::num_worker_cores(HalProgrammableCoreType type, SubDeviceId id) const {
    return worker_cores(type, id).num_cores();
}

}  // namespace tt::tt_metal
