// SPDX-License-Identifier: Apache-2.0
// Stack allocator that gives a kernel's fiber the stack inside its core's window: mapped once with
// the core, reused at every launch.
#pragma once

#include <boost/context/stack_context.hpp>
#include <cstdint>

#include "tessera/processor.hpp"

namespace tessera {

class Window;

class WindowStack {
public:
    /// `num_in_use` counts the worker's stacks whose fibers Boost has not let go of yet.
    WindowStack(const Window& window, Processor processor, std::uint32_t& num_in_use)
        : window_(&window), processor_(processor), num_in_use_(&num_in_use) {}

    boost::context::stack_context allocate();
    void deallocate(boost::context::stack_context& stack) noexcept;

private:
    const Window* window_;
    Processor processor_;
    std::uint32_t* num_in_use_;
};

}  // namespace tessera
