// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/galaxy_chip.hpp"

#include <string>
#include <string_view>

namespace tessera::score {
namespace {

bool starts_with(const std::string& text, std::string_view words) {
    return std::string_view(text).starts_with(words);
}

/// Cycles are longer; memory has its own clock, and moves more in each of them.
void set_clock(Model& model, Hertz clock) {
    const double longer = model.arch.clock.value / clock.value;
    model.arch.clock = clock;
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        timing->clock = clock;
        timing->dram.bank_read_rate = timing->dram.bank_read_rate * longer;
        timing->dram.bank_write_rate = timing->dram.bank_write_rate * longer;
        timing->dram.channel_rate = timing->dram.channel_rate * longer;
    }
}

// No row of a Galaxy's chips is harvested, and the tests give dispatch the last column
// (DispatchCoreAxis.COL): 7 columns of 10 rows are left.
// Source   tt-metal soc_descriptors/wormhole_b0_80_arch.yaml, functional_workers;
//          core_descriptors/wormhole_b0_80_arch.yaml, galaxy; the sub_core_grids (1,0) to (3,9) and
//          (5,0) to (6,9) in models/demos/llama3_70b_galaxy/tests/unit_tests/test_llama_ops.py.
void set_grid(WorkerGridSpec& workers) {
    workers.compute = {7, 10};
    workers.noc_columns = {1, 2, 3, 4, 6, 7, 8};
    workers.noc_rows = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11};
    workers.harvested_rows.clear();
    workers.dispatch_rows.clear();
    workers.dispatch_columns = {9};
}

/// Source   github.com/tenstorrent/tt-umd/issues/1268: "The Fmax on 4U Galaxy is 900MHz".
constexpr Hertz kClockOf4U{900e6};

}  // namespace

Model on_galaxy_chip(Model model, const Parameters& parameters) {
    const std::string machine = parameters.text_or("machine", "");
    if (starts_with(model.arch.name, "wormhole") && starts_with(machine, "Galaxy")) {
        set_grid(model.arch.workers);
        if (starts_with(machine, "Galaxy 4U")) {
            set_clock(model, kClockOf4U);
        }
    }
    return model;
}

}  // namespace tessera::score
