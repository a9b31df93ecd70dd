// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/models/galaxy_chip.hpp"

#include <algorithm>
#include <string>

namespace tessera::score {
namespace {

/// Gives the last column to dispatch (DispatchCoreAxis.COL), as most tests of models do. A Galaxy's
/// chips have no harvested rows, so programs have 7 × 10 of Wormhole's 8 × 10 cores.
/// Source   tt-metal tests/tt_eager/python_api_testing/unit_testing/misc/
///          test_matmul_1d_gather_in0.py ("unharvested TG"); models/demos/llama3_70b_galaxy/tests/
///          unit_tests/test_llama_ops.py, whose cores go up to (6,9).
void dispatch_on_a_column(WorkerGridSpec& workers) {
    for (std::vector<std::uint32_t>* rows : {&workers.harvested_rows, &workers.dispatch_rows}) {
        workers.noc_rows.insert(workers.noc_rows.end(), rows->begin(), rows->end());
        rows->clear();
    }
    std::ranges::sort(workers.noc_rows);
    workers.dispatch_columns = {workers.noc_columns.back()};
    workers.noc_columns.pop_back();
    workers.compute = {static_cast<std::uint32_t>(workers.noc_columns.size()),
                       static_cast<std::uint32_t>(workers.noc_rows.size())};
}

/// Sets a slower device clock. The memory has its own clock, so it moves more bytes per cycle.
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

/// Source   github.com/tenstorrent/tt-umd/issues/1268: "The Fmax on 4U Galaxy is 900MHz".
constexpr Hertz kClockOf4U{900e6};

}  // namespace

Model on_galaxy_chip(Model model, const Parameters& parameters, DispatchTakes takes) {
    const std::string machine = parameters.text_or("machine", "Galaxy");
    if (!machine.starts_with("Galaxy")) {
        return model;
    }
    if (takes == DispatchTakes::Column && model.arch.workers.dispatch_columns.empty()) {
        dispatch_on_a_column(model.arch.workers);
    }
    if (machine.starts_with("Galaxy 4U")) {
        set_clock(model, kClockOf4U);
    }
    return model;
}

}  // namespace tessera::score
