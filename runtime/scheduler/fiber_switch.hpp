// SPDX-License-Identifier: Apache-2.0
// The order in which one host thread's fibers run, and the switch between them: kernels first in,
// first out; the worker's own loop only when no kernel can run.
//
// Straight on Boost.Context: a fiber that blocks jumps to the next one. A scheduler in between
// (Boost.Fiber's) cost as much again as everything else in the hand-over of a tile.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <deque>

namespace tessera {

class KernelThread;
class Worker;

/// A kernel thread's fiber, or the worker's loop (thread: null).
struct KernelFiber {
    KernelThread* thread = nullptr;
    Worker* worker = nullptr;
    boost::context::fiber context;  ///< empty while it runs and once it has ended
    KernelFiber* next_ready = nullptr;
};

class FiberSwitch {
public:
    FiberSwitch() = default;
    FiberSwitch(const FiberSwitch&) = delete;
    FiberSwitch& operator=(const FiberSwitch&) = delete;

    /// A fiber that has no context yet; it lives as long as this object.
    [[nodiscard]] KernelFiber& add(KernelThread& thread, Worker& worker) {
        return fibers_.emplace_back(KernelFiber{&thread, &worker, {}, nullptr});
    }

    void make_ready(KernelFiber& fiber) noexcept {
        fiber.next_ready = nullptr;
        (last_ == nullptr ? first_ : last_->next_ready) = &fiber;
        last_ = &fiber;
    }
    [[nodiscard]] bool has_ready() const noexcept { return first_ != nullptr; }

    /// Runs ready fibers until none is left; call from the worker's loop.
    void run_ready() {
        while (has_ready()) {
            leave(loop_);
        }
    }
    /// Goes on with whoever is next; returns when `fiber`, which calls, is resumed.
    void leave(KernelFiber& fiber) {
        KernelFiber& next = take_next();
        if (&next != &fiber) {
            left_ = &fiber;
            arrive(std::move(next.context).resume());
        }
    }
    /// To be called by a fiber that starts or goes on: keeps where the one before it stands.
    void arrive(boost::context::fiber&& before) noexcept { left_->context = std::move(before); }
    /// What `fiber`, which calls and ends, returns to.
    [[nodiscard]] boost::context::fiber end(KernelFiber& fiber) noexcept {
        left_ = &fiber;
        return std::move(take_next().context);
    }

    /// Kernels that were picked to run, ever.
    [[nodiscard]] std::uint64_t num_picks() const noexcept { return num_picks_; }

private:
    [[nodiscard]] KernelFiber& take_next() noexcept {
        if (first_ == nullptr) {
            return loop_;
        }
        KernelFiber& next = *first_;
        first_ = next.next_ready;
        last_ = first_ == nullptr ? nullptr : last_;
        ++num_picks_;
        return next;
    }

    KernelFiber* first_ = nullptr;
    KernelFiber* last_ = nullptr;
    KernelFiber* left_ = nullptr;  ///< whom the running fiber came from
    std::uint64_t num_picks_ = 0;
    KernelFiber loop_;
    std::deque<KernelFiber> fibers_;
};

}  // namespace tessera
