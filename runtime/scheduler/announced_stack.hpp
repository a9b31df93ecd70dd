// SPDX-License-Identifier: Apache-2.0
// Tells AddressSanitizer which stack runs. An exception leaves the marks of its frames on a stack;
// the sanitizer removes them only from the stack that it knows, and reports later frames there if
// it knows another. In other builds nothing here has code.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)  // GCC
#define TESSERA_ANNOUNCES_STACKS 1
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer)
#define TESSERA_ANNOUNCES_STACKS 1
#endif
#endif
#ifdef TESSERA_ANNOUNCES_STACKS
#include <sanitizer/common_interface_defs.h>
#endif

namespace tessera {

struct StackRange {
    const void* bottom = nullptr;
    std::size_t size = 0;  ///< bytes
};

/// Announces that this host thread's frames are in `stack` from now on, and returns the range that
/// was announced before.
inline StackRange announce_stack([[maybe_unused]] StackRange stack) {
    StackRange previous;
#ifdef TESSERA_ANNOUNCES_STACKS
    void* frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, stack.bottom, stack.size);
    __sanitizer_finish_switch_fiber(frames, &previous.bottom, &previous.size);
#endif
    return previous;
}

/// Returns the announced range.
inline StackRange announced_stack() {
    const StackRange stack = announce_stack({});
    announce_stack(stack);
    return stack;
}

/// Announces the present range again when the scope ends. Other fibers or kernels run in it.
class KeepAnnouncedStack {
public:
    KeepAnnouncedStack() = default;
    ~KeepAnnouncedStack() { announce_stack(stack_); }
    KeepAnnouncedStack(const KeepAnnouncedStack&) = delete;
    KeepAnnouncedStack& operator=(const KeepAnnouncedStack&) = delete;

private:
    StackRange stack_ = announced_stack();
};

}  // namespace tessera
