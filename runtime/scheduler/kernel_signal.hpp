// SPDX-License-Identifier: Apache-2.0
// Runs a kernel on its own stack and converts its native faults to faults of the emulated program.
// A wild pointer, an illegal instruction or an overrun array ends the kernel's fiber with a
// KernelFault and not the process.
#pragma once

#include <cstddef>
#include <memory>

namespace tessera {

class KernelThread;

/// Gives this host thread a stack for signal handlers during the object's lifetime. The first
/// object in the process installs the handlers.
class SignalStack {
public:
    SignalStack();
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    std::unique_ptr<std::byte[]> memory_;
};

/// Runs the thread's kernel to its end on the stack in its core's window. The caller's frames are
/// on another stack, which the kernel cannot overrun.
/// Errors   KernelFault with the line of the fault; if it is unknown, with the line of the thread's
///          last API call. {OutOfBounds} for an address that is not mapped, {UndefinedBehavior} for
///          other signals and for an overrun array. A fault in the emulator's own code ends the
///          process as usual.
void run_kernel(KernelThread& thread);

}  // namespace tessera
