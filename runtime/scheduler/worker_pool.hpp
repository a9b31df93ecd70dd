// SPDX-License-Identifier: Apache-2.0
// Provides the host threads of launches: oneTBB workers, or plain threads in a build with the
// thread sanitizer, which does not understand oneTBB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace tessera {

class WorkerPool {
public:
    /// `num_workers` 0: one for each host core.
    explicit WorkerPool(std::uint32_t num_workers);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    [[nodiscard]] std::uint32_t num_workers() const noexcept { return num_workers_; }

    /// Calls `body` up to `num_workers()` times, on as many threads as the host provides, and
    /// returns after all calls. At least one call runs; other calls may run late or in sequence.
    void run(const std::function<void()>& body);

    /// Calls `visit` with each number below `count`, on as many threads as the host provides. All
    /// calls are made. If several throw, rethrows the exception of the lowest number.
    void for_each(std::size_t count, const std::function<void(std::size_t)>& visit);

private:
    struct Arena;
    std::uint32_t num_workers_;
    std::unique_ptr<Arena> arena_;
};

}  // namespace tessera
