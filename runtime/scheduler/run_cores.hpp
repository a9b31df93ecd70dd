// SPDX-License-Identifier: Apache-2.0
// Runs the kernel threads of a set of cores to their end, as fibers on worker threads.
#pragma once

#include <span>

namespace tessera {

class Core;
class WorkerPool;

/// Runs every thread of `cores` (Core::threads) to its end. A core's threads are fibers of the
/// worker that adopts the core. Workers adopt cores from a shared counter whenever they have
/// nothing else to run, so any number of workers, even one, completes the launch.
///
/// Errors   KernelError for the first thread, by (device, core, processor), that violated the
///          machine's rules; each other thread runs as far as it can. KernelError{Deadlock} with
///          the census if all remaining threads are blocked.
void run_cores(std::span<Core* const> cores, WorkerPool& pool);

}  // namespace tessera
