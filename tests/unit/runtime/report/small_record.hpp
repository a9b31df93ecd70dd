// SPDX-License-Identifier: Apache-2.0
// A hand-written run record: two devices of 2×1 cores, two steps, one of them wrong on request.
#pragma once

#include "runtime/report/run_record.hpp"

namespace tessera::report {

inline RunRecord small_record() {
    RunRecord record;
    record.run.name = "small";
    record.run.mesh.shape = {1, 2};
    record.pipeline.values = {{"tokens", "40"}, {"hidden", "80"}};
    record.arch.name = "tiny_arch";
    record.arch.workers.compute = {2, 1};
    record.resolved = {{"mesh.shape", "[1, 2]", "[1,2]", "", {}, std::nullopt}};
    record.num_threads = 2;
    record.steps = {
        {.name = "scatter",
         .op = "scatter_moe_input",
         .schedule = "multi_core",
         .num_cores = 4,
         .output_tiles = 24,
         .host_seconds = 0.0125,
         .verify_seconds = 0.5,
         .check = StepCheck{.num_elements = 100}},
        {.name = "gate",
         .op = "moe_bmm",
         .schedule = "single_core",
         .num_cores = 2,
         .output_tiles = 123456,
         .host_seconds = 2.5},
    };
    record.cores = {
        {.device = 0, .core = {0, 0}, .tiles_packed = 40, .bytes_read = 1 << 20},
        {.device = 0, .core = {1, 0}, .tiles_packed = 10, .bytes_read = 512},
        {.device = 1, .core = {0, 0}, .tiles_packed = 20},
        {.device = 1, .core = {1, 0}},
    };
    record.host = {.load = 0.25, .launch = 2.5, .verify = 0.5, .total = 3.5};
    return record;
}

inline RunRecord failing_record() {
    RunRecord record = small_record();
    record.steps[1].check = StepCheck{.num_elements = 7,
                                      .pcc = 0.25,
                                      .max_relative_error = 1.5,
                                      .failure = "PCC 0.25, allowed: 0.9999 or more"};
    return record;
}

}  // namespace tessera::report
