// SPDX-License-Identifier: Apache-2.0
// Launches and traces of older programs' queues.
#include "tt-metalium/command_queue.hpp"

#include "runtime/metalium/device_state.hpp"
#include "runtime/metalium/program_state.hpp"
#include "tt-metalium/tt_metal.hpp"

namespace tt::tt_metal {

namespace {

void launch(IDevice& device, const Program& program) {
    detail::RecordedLaunch recorded{detail::name_of(program.state()), {}};
    for (const std::uint32_t id : device.state().ids) {
        recorded.programs.push_back({id, program.state().program});
    }
    detail::run(device.state(), std::move(recorded));
}

}  // namespace

void EnqueueProgram(CommandQueue& queue, Program& program, bool /*blocking*/) {
    launch(*queue.device(), program);
}

void detail::LaunchProgram(IDevice* device, Program& program, bool /*wait_until_cores_done*/,
                           bool /*force_slow_dispatch*/) {
    launch(*device, program);
}

void Finish(CommandQueue& /*queue*/, std::span<const SubDeviceId> /*sub_devices*/) {
}

void EnqueueRecordEvent(CommandQueue& queue, const std::shared_ptr<Event>& event,
                        std::span<const SubDeviceId> /*sub_devices*/) {
    static std::uint32_t next_event = 0;
    *event = {queue.device(), queue.id(), next_event++};
}

std::uint32_t BeginTraceCapture(IDevice* device, std::uint8_t /*queue*/) {
    return detail::begin_trace(device->state());
}
void EndTraceCapture(IDevice* device, std::uint8_t /*queue*/, std::uint32_t trace) {
    detail::end_trace(device->state(), trace);
}
void ReplayTrace(IDevice* device, std::uint8_t /*queue*/, std::uint32_t trace, bool /*blocking*/) {
    detail::replay_trace(device->state(), trace);
}
void EnqueueTrace(CommandQueue& queue, std::uint32_t trace, bool blocking) {
    ReplayTrace(queue.device(), 0, trace, blocking);
}
void ReleaseTrace(IDevice* device, std::uint32_t trace) {
    device->state().traces.erase(trace);
}

}  // namespace tt::tt_metal
