// SPDX-License-Identifier: Apache-2.0
// Hands the traces of launches to the sink of a session.
#pragma once

#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "tessera/trace.hpp"

namespace tessera {

/// Calls a trace sink for each launch, in their order: on the caller's thread, or on another one, so
/// that launches are timed while the kernels of the next launch run. A run of
/// deepseek_v32_decode left a fifth of two processors idle between kernels and replays.
class LaunchSink {
public:
    using Sink = std::function<void(const Trace& so_far, LaunchTrace&& launch)>;

    explicit LaunchSink(Sink sink) : sink_(std::move(sink)) {}
    /// Waits for the sink. An error of it that no call has thrown is lost.
    ~LaunchSink();
    LaunchSink(const LaunchSink&) = delete;
    LaunchSink& operator=(const LaunchSink&) = delete;

    /// Calls the sink and returns when it has returned.
    /// Errors   those of the sink, also for the launch before.
    void call(const Trace& so_far, LaunchTrace&& launch);
    /// Calls the sink on another thread, when it has returned for the launch before: more launches
    /// would fill the host's memory.
    /// Errors   those of the sink for the launch before.
    void start(const Trace& so_far, LaunchTrace&& launch);
    /// Waits until the sink has returned for all launches.
    /// Errors   those of the sink.
    void wait();

    /// Returns the host seconds that callers have spent in call(), start() and wait().
    [[nodiscard]] double seconds() const noexcept { return seconds_; }

private:
    Sink sink_;
    std::thread thread_;
    std::future<void> running_;  ///< of the thread; invalid if no launch is under way
    double seconds_ = 0;
};

}  // namespace tessera
