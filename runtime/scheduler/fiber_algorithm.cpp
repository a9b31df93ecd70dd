// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/fiber_algorithm.hpp"

#include <boost/fiber/operations.hpp>

namespace tessera {
namespace {

thread_local FiberAlgorithm* t_algorithm = nullptr;

}  // namespace

void FiberAlgorithm::awakened(boost::fibers::context* context) noexcept {
    const bool is_loop = context->is_context(boost::fibers::type::pinned_context);
    context->ready_link(is_loop ? loops_ : kernels_);
}

boost::fibers::context* FiberAlgorithm::pick_next() noexcept {
    return has_ready_fibers() ? &take_next() : nullptr;
}

bool FiberAlgorithm::has_ready_fibers() const noexcept {
    return !kernels_.empty() || !loops_.empty();
}

FiberAlgorithm& FiberAlgorithm::of_this_thread() {
    if (t_algorithm == nullptr) {
        auto* algorithm = new FiberAlgorithm;  // NOLINT: Boost's scheduler owns it from here on
        t_algorithm = algorithm;
        boost::fibers::context::active()->get_scheduler()->set_algo(algorithm);
    }
    return *t_algorithm;
}

}  // namespace tessera
