// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/run_cores.hpp"

#include "runtime/scheduler/launch_state.hpp"
#include "runtime/scheduler/worker.hpp"
#include "runtime/scheduler/worker_pool.hpp"

namespace tessera {

void run_cores(std::span<Core* const> cores, WorkerPool& pool) {
    LaunchState launch(cores);
    pool.run([&] {
        Worker worker(launch);
        worker.run();
    });
    launch.rethrow();
}

}  // namespace tessera
