// SPDX-License-Identifier: Apache-2.0
// Stack allocator that gives a kernel's fiber the stack inside its core's window: mapped once with
// the core, reused at every launch.
#pragma once

#include <boost/context/stack_context.hpp>

#include "tessera/processor.hpp"

namespace tessera {

class Window;

class WindowStack {
public:
    WindowStack(const Window& window, Processor processor)
        : window_(&window), processor_(processor) {}

    boost::context::stack_context allocate();
    void deallocate(boost::context::stack_context& /*stack*/) noexcept {}

private:
    const Window* window_;
    Processor processor_;
};

}  // namespace tessera
