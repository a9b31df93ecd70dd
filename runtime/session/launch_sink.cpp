// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/launch_sink.hpp"

#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "emu/base/seconds_since.hpp"

namespace tessera {

LaunchSink::~LaunchSink() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

void LaunchSink::call(const Trace& so_far, LaunchTrace&& launch) {
    wait();
    const auto begin = std::chrono::steady_clock::now();
    sink_(so_far, std::move(launch));
    seconds_ += seconds_since(begin);
}

void LaunchSink::start(const Trace& so_far, LaunchTrace&& launch) {
    wait();
    // A copy of the names, to which the next launch adds its own.
    const auto task = std::make_shared<std::packaged_task<void()>>(
        [this, names = so_far, taken = std::move(launch)]() mutable {
            sink_(names, std::move(taken));
        });
    running_ = task->get_future();
    try {
        thread_ = std::thread([task] { (*task)(); });
    } catch (const std::system_error&) {
        // The host has no thread left.
        (*task)();
    }
}

void LaunchSink::wait() {
    if (running_.valid()) {
        const auto begin = std::chrono::steady_clock::now();
        if (thread_.joinable()) {
            thread_.join();
        }
        seconds_ += seconds_since(begin);
        running_.get();
    }
}

}  // namespace tessera
