// SPDX-License-Identifier: Apache-2.0
// Command queues of older programs: transfers and programs of one device, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tt-metalium/buffer.hpp"
#include "tt-metalium/device.hpp"
#include "tt-metalium/program.hpp"

namespace tt::tt_metal {

/// Point in a queue. Commands complete during the call that enqueues them, so an event has always
/// happened.
struct Event {
    IDevice* device = nullptr;
    std::uint32_t cq_id = 0;
    std::uint32_t event_id = 0;
};

/// A queue of one device.
class CommandQueue {
public:
    CommandQueue(IDevice* device, std::uint32_t id) : device_(device), id_(id) {}
    [[nodiscard]] IDevice* device() const { return device_; }
    [[nodiscard]] std::uint32_t id() const { return id_; }

private:
    IDevice* device_;
    std::uint32_t id_;
};

/// Writes the whole buffer. The bytes are copied before the call returns, blocking or not.
void EnqueueWriteBuffer(CommandQueue& queue, const BufferReference& buffer, const void* source,
                        bool blocking);
/// Writes a vector to the buffer. Of a shorter vector, all elements are written, with a warning.
template <class T>
void EnqueueWriteBuffer(CommandQueue& queue, const BufferReference& buffer,
                        const std::vector<T>& source, bool blocking);
template <class T>
void EnqueueWriteBuffer(CommandQueue& queue, const BufferReference& buffer,
                        const std::shared_ptr<std::vector<T>>& source, bool blocking) {
    EnqueueWriteBuffer(queue, buffer, *source, blocking);
}
/// Writes a part of the buffer.
void EnqueueWriteSubBuffer(CommandQueue& queue, const BufferReference& buffer, const void* source,
                           const BufferRegion& region, bool blocking);
template <class T>
void EnqueueWriteSubBuffer(CommandQueue& queue, const BufferReference& buffer,
                           const std::vector<T>& source, const BufferRegion& region, bool blocking);

/// Reads the whole buffer.
void EnqueueReadBuffer(CommandQueue& queue, const BufferReference& buffer, void* target,
                       bool blocking);
/// Reads the whole buffer into `target`, which is resized.
template <class T>
void EnqueueReadBuffer(CommandQueue& queue, const BufferReference& buffer, std::vector<T>& target,
                       bool blocking);
/// Reads a part of the buffer.
void EnqueueReadSubBuffer(CommandQueue& queue, const BufferReference& buffer, void* target,
                          const BufferRegion& region, bool blocking);
template <class T>
void EnqueueReadSubBuffer(CommandQueue& queue, const BufferReference& buffer,
                          std::vector<T>& target, const BufferRegion& region, bool blocking) {
    target.resize(region.size / sizeof(T));
    EnqueueReadSubBuffer(queue, buffer, static_cast<void*>(target.data()), region, blocking);
}

/// Runs a program on the queue's device.
void EnqueueProgram(CommandQueue& queue, Program& program, bool blocking);
inline void EnqueueProgram(CommandQueue& queue, const std::shared_ptr<Program>& program,
                           bool blocking) {
    EnqueueProgram(queue, *program, blocking);
}
void Finish(CommandQueue& queue, std::span<const SubDeviceId> sub_devices = {});

void EnqueueRecordEvent(CommandQueue& queue, const std::shared_ptr<Event>& event,
                        std::span<const SubDeviceId> sub_devices = {});
inline void EnqueueWaitForEvent(CommandQueue&, const std::shared_ptr<Event>&) {
}
inline void EventSynchronize(const std::shared_ptr<Event>&) {
}
[[nodiscard]] inline bool EventQuery(const std::shared_ptr<Event>&) {
    return true;
}

/// Starts to record the programs of a queue instead of running them. Returns the trace's id.
std::uint32_t BeginTraceCapture(IDevice* device, std::uint8_t queue);
void EndTraceCapture(IDevice* device, std::uint8_t queue, std::uint32_t trace);
/// Runs the recorded programs with the arguments that they had when they were recorded.
void ReplayTrace(IDevice* device, std::uint8_t queue, std::uint32_t trace, bool blocking);
void EnqueueTrace(CommandQueue& queue, std::uint32_t trace, bool blocking);
void ReleaseTrace(IDevice* device, std::uint32_t trace);

namespace detail {
[[nodiscard]] inline Buffer& buffer_of(const BufferReference& reference) {
    const auto* wrapped = std::get_if<std::reference_wrapper<Buffer>>(&reference);
    return wrapped != nullptr ? wrapped->get() : *std::get<std::shared_ptr<Buffer>>(reference);
}
/// Returns the bytes to copy from a host vector of `given` bytes to a range of `needed`. Warns on
/// standard error if the vector is shorter; a card's host would read past its end.
[[nodiscard]] std::size_t bytes_to_copy(std::size_t given, std::size_t needed);
}  // namespace detail

template <class T>
void EnqueueWriteBuffer(CommandQueue& queue, const BufferReference& buffer,
                        const std::vector<T>& source, bool blocking) {
    const std::size_t bytes =
        detail::bytes_to_copy(source.size() * sizeof(T), detail::buffer_of(buffer).size());
    EnqueueWriteSubBuffer(queue, buffer, static_cast<const void*>(source.data()), {0, bytes},
                          blocking);
}
template <class T>
void EnqueueWriteSubBuffer(CommandQueue& queue, const BufferReference& buffer,
                           const std::vector<T>& source, const BufferRegion& region,
                           bool blocking) {
    const std::size_t bytes = detail::bytes_to_copy(source.size() * sizeof(T), region.size);
    EnqueueWriteSubBuffer(queue, buffer, static_cast<const void*>(source.data()),
                          {region.offset, bytes}, blocking);
}
template <class T>
void EnqueueReadBuffer(CommandQueue& queue, const BufferReference& buffer, std::vector<T>& target,
                       bool blocking) {
    target.resize(detail::buffer_of(buffer).size() / sizeof(T));
    EnqueueReadBuffer(queue, buffer, static_cast<void*>(target.data()), blocking);
}

}  // namespace tt::tt_metal
