// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/galaxy_chip.hpp"

namespace tessera::score {

// No row of a Galaxy's chips is harvested, and the tests give dispatch the last column
// (DispatchCoreAxis.COL): 7 columns of 10 rows are left.
// Source   tt-metal soc_descriptors/wormhole_b0_80_arch.yaml, functional_workers;
//          core_descriptors/wormhole_b0_80_arch.yaml, galaxy; the sub_core_grids (1,0) to (3,9) and
//          (5,0) to (6,9) in models/demos/llama3_70b_galaxy/tests/unit_tests/test_llama_ops.py.
Model on_galaxy_chip(Model model, const Parameters& parameters) {
    if (model.arch.name.starts_with("wormhole") &&
        parameters.text_or("machine", "").starts_with("Galaxy")) {
        WorkerGridSpec& workers = model.arch.workers;
        workers.compute = {7, 10};
        workers.noc_columns = {1, 2, 3, 4, 6, 7, 8};
        workers.noc_rows = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11};
        workers.harvested_rows.clear();
        workers.dispatch_rows.clear();
        workers.dispatch_columns = {9};
    }
    return model;
}

}  // namespace tessera::score
