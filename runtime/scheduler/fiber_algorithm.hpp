// SPDX-License-Identifier: Apache-2.0
// Schedules a worker's fibers: kernels first in, first out; the worker's own loop only if no kernel
// can run.
//
// Kernels that block and wake on their own host thread are scheduled here directly, not through
// Boost's scheduler, whose two virtual calls double the cost of a switch. A tile through two CBs
// takes 93 to 104 ns; with every switch through Boost's scheduler it takes 137 to 172 ns. Last in,
// first out was measured and makes no difference.
#pragma once

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/scheduler.hpp>
#include <cstdint>
#include <vector>

namespace tessera {

class FiberAlgorithm final : public boost::fibers::algo::algorithm {
public:
    void awakened(boost::fibers::context* context) noexcept override;
    boost::fibers::context* pick_next() noexcept override;
    [[nodiscard]] bool has_ready_fibers() const noexcept override;
    /// Never sleeps: the worker's loop sleeps instead, under the launch's lock.
    void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {}
    void notify() noexcept override {}

    /// Appends a parked kernel of this host thread to the ready ones.
    void make_ready(boost::fibers::context& kernel) {
        if (num_readied_ - num_picks_ > mask_) [[unlikely]] {
            return make_ready_in_larger_ring(kernel);
        }
        ring_[num_readied_++ & mask_] = &kernel;
    }
    /// Removes and returns the fiber that runs next.
    /// Precondition   a loop is ready, which holds whenever a kernel runs.
    [[nodiscard]] boost::fibers::context& take_next() noexcept {
        if (has_ready_kernels()) [[likely]] {
            return *ring_[num_picks_++ & mask_];
        }
        return take_loop();
    }

    [[nodiscard]] bool has_ready_kernels() const noexcept { return num_readied_ != num_picks_; }

    /// Returns the total number of switches to kernels so far.
    [[nodiscard]] std::uint64_t num_picks() const noexcept { return num_picks_; }

    /// Installs this order for the fibers of this host thread, unless it is installed already.
    static void install();
    /// Returns the algorithm of this host thread.
    /// Precondition   install() was called on it.
    [[nodiscard]] static FiberAlgorithm& of_this_thread() noexcept { return *of_this_thread_; }

private:
    using Queue = boost::fibers::scheduler::ready_queue_type;
    [[nodiscard]] boost::fibers::context& take_loop() noexcept;
    void make_ready_in_larger_ring(boost::fibers::context& kernel);

    [[gnu::tls_model(
        "initial-exec")]] static inline constinit thread_local FiberAlgorithm* of_this_thread_ =
        nullptr;

    std::uint64_t num_readied_ = 0;
    std::uint64_t num_picks_ = 0;
    std::uint64_t mask_ = 255;  ///< size of the ring, a power of two, minus one
    /// The ready kernels, at positions num_picks_ to num_readied_. A list through Boost's hooks
    /// would touch two more cache lines per fiber.
    std::vector<boost::fibers::context*> ring_ = std::vector<boost::fibers::context*>(mask_ + 1);
    Queue loops_;  ///< the worker's loop and Boost's dispatcher, alternating
};

}  // namespace tessera
