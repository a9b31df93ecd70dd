// SPDX-License-Identifier: Apache-2.0
// Runs the kernel threads of a set of cores to their end, as fibers on worker threads.
#pragma once

#include <span>

namespace tessera {

class Core;
class WorkerPool;

/// Runs every thread of `cores` (Core::threads) to its end. A core's threads are fibers pinned to
/// the worker that adopts the core; workers adopt cores from a shared counter whenever they have
/// nothing else to run, so that any number of workers, from one up, completes the launch.
///
/// Errors   KernelError for the first thread, by (device, core, processor), that broke the
///          machine's contract, every other thread having run as far as it can; else
///          KernelError{Deadlock} with the census, if all that are left are blocked.
void run_cores(std::span<Core* const> cores, WorkerPool& pool);

}  // namespace tessera
