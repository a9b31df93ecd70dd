// SPDX-License-Identifier: Apache-2.0
// The order in which a worker's fibers run: kernels first in, first out; the worker's own loop
// only when no kernel can run.
//
// Kernels that block and wake on their own host thread come here directly, not through Boost's
// scheduler: its two virtual calls cost as much again as the switch itself.
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

    /// Puts a parked kernel of this host thread behind the ready ones.
    void make_ready(boost::fibers::context& kernel) noexcept { kernel.ready_link(kernels_); }
    /// Whose turn it is. Precondition   a loop is ready: so it is whenever a kernel runs.
    [[nodiscard]] boost::fibers::context& take_next() noexcept {
        Queue& queue = kernels_.empty() ? loops_ : kernels_;
        num_picks_ += &queue == &kernels_ ? 1 : 0;
        boost::fibers::context& next = queue.front();
        queue.pop_front();
        return next;
    }

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
