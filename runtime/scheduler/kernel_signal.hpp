// SPDX-License-Identifier: Apache-2.0
// Turns memory faults of kernels into faults of theirs: an access outside what a window maps ends
// the kernel's fiber with a KernelFault instead of ending the process.
#pragma once

#include <cstddef>
#include <memory>

namespace tessera {

class KernelThread;

/// Gives this host thread a stack for signal handlers, as long as the object lives; the first one
/// in the process installs the handler.
class SignalStack {
public:
    SignalStack();
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    std::unique_ptr<std::byte[]> memory_;
};

/// Calls `run(thread)`.
/// Errors   KernelFault{OutOfBounds} if the kernel touches an address of its window that is not
///          mapped; a fault at any other address ends the process as usual.
void run_catching_signals(KernelThread& thread, void (*run)(KernelThread&));

}  // namespace tessera
