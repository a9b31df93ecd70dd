// SPDX-License-Identifier: Apache-2.0
// DRAM streams: many cores read or write one bank or all banks.
// Source   mesham/tt-sim perfbench/dramratebench: reader i uses bank i modulo their number, on RISC
//          0 and NoC 0. The slowest reader determines the aggregate rate.
#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/bank_streams.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {

Prediction predict_dram_streams(const Row& row, const Parameters& parameters, const Model& model) {
    const bool reads = row.workload.starts_with("DRAM read");
    expressible(reads || row.workload.starts_with("DRAM write"),
                "workload {}: neither DRAM read nor DRAM write", row.workload);
    const BankBurst burst{.count = parameters.count("txn_per_core"),
                          .bytes = parameters.count("bytes_per_txn")};
    const auto streams =
        streams_in_order(model.arch, parameters.count("cores"), parameters.count("distinct_banks"));
    return run_bank_streams(row, streams, burst, {DataMovementProcessor::RISCV_0, NOC::NOC_0},
                            model, reads ? BankAccess::Read : BankAccess::Write);
}

}  // namespace tessera::score
