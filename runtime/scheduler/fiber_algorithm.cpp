// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/fiber_algorithm.hpp"

#include <boost/fiber/operations.hpp>

namespace tessera {

void FiberAlgorithm::awakened(boost::fibers::context* context) noexcept {
    // Boost's own fibers are pinned contexts: the dispatcher, and the main fiber that runs the
    // loop.
    if (context->is_context(boost::fibers::type::pinned_context)) {
        context->ready_link(loops_);
    } else {
        make_ready(*context);
    }
}

boost::fibers::context* FiberAlgorithm::pick_next() noexcept {
    return has_ready_fibers() ? &take_next() : nullptr;
}

bool FiberAlgorithm::has_ready_fibers() const noexcept {
    return has_ready_kernels() || !loops_.empty();
}

boost::fibers::context& FiberAlgorithm::take_loop() noexcept {
    boost::fibers::context& next = loops_.front();
    loops_.pop_front();
    return next;
}

void FiberAlgorithm::make_ready_in_larger_ring(boost::fibers::context& kernel) {
    const std::uint64_t mask = 2 * mask_ + 1;
    std::vector<boost::fibers::context*> ring(mask + 1);
    for (std::uint64_t i = num_picks_; i != num_readied_; ++i) {
        ring[i & mask] = ring_[i & mask_];
    }
    ring_.swap(ring);
    mask_ = mask;
    make_ready(kernel);
}

void FiberAlgorithm::install() {
    // Once per host thread: Boost allows no change of algorithm while fibers exist, and pool
    // threads serve many launches.
    if (of_this_thread_ == nullptr) {
        auto* algorithm = new FiberAlgorithm;  // NOLINT: Boost's scheduler owns it from here on
        of_this_thread_ = algorithm;
        boost::fibers::context::active()->get_scheduler()->set_algo(algorithm);
    }
}

}  // namespace tessera
