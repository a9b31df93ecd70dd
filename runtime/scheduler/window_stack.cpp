// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/window_stack.hpp"

#include "emu/core/window.hpp"

namespace tessera {

boost::context::stack_context WindowStack::allocate() {
    ++*num_in_use_;
    boost::context::stack_context stack;
    stack.sp = window_->stack_top(processor_);
    stack.size = Window::stack_size();
    return stack;
}

void WindowStack::deallocate(boost::context::stack_context& /*stack*/) noexcept {
    --*num_in_use_;
}

}  // namespace tessera
