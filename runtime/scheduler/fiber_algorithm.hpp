// SPDX-License-Identifier: Apache-2.0
// The order in which a worker's fibers run: kernels first in, first out; the worker's own loop
// only when no kernel can run.
#pragma once

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/scheduler.hpp>
#include <cstdint>

namespace tessera {

class FiberAlgorithm final : public boost::fibers::algo::algorithm {
public:
    void awakened(boost::fibers::context* context) noexcept override;
    boost::fibers::context* pick_next() noexcept override;
    [[nodiscard]] bool has_ready_fibers() const noexcept override;
    /// Never sleeps: the worker's loop does, under the launch's lock.
    void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {}
    void notify() noexcept override {}

    [[nodiscard]] bool has_ready_kernels() const noexcept { return !kernels_.empty(); }

    /// Kernels that were picked to run, ever.
    [[nodiscard]] std::uint64_t num_picks() const noexcept { return num_picks_; }

    /// The algorithm of this host thread, installed at the first call.
    static FiberAlgorithm& of_this_thread();

private:
    using Queue = boost::fibers::scheduler::ready_queue_type;
    std::uint64_t num_picks_ = 0;
    Queue kernels_;
    Queue loops_;  ///< the worker's loop and Boost's dispatcher, in turns
};

}  // namespace tessera
