// SPDX-License-Identifier: Apache-2.0
// Runs a kernel thread as a fiber: its root, and how it is parked and woken.
#pragma once

namespace tessera {

class KernelThread;
class Worker;

/// Makes a fiber for the thread on this host thread; it runs when the worker's loop yields.
/// Faults, signals and exceptions of the kernel end the fiber and are recorded with the launch.
void start_fiber(KernelThread& thread, Worker& worker);

}  // namespace tessera
