// SPDX-License-Identifier: Apache-2.0
// Reshards: from shards of a tensor in L1 to other shards, or from DRAM to shards.
// Source   traces in tenstorrent/tt-npe (tt_npe/workload/noc_trace_json): "2x4_BLOCK" is a grid of
//          2 rows and 4 columns of cores at (0,0). Between L1s, both RISCs of a core read half of
//          its shard each. From DRAM, RISC 1 reads it on NoC 0, with TTNN's barrier after 512 /
//          readers · 1152 bytes.
#include "ops/reshard/reshard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/burst_args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/memory_config.hpp"

namespace tessera::score {
namespace {

/// Profiler overhead per recorded transfer. Reads of DRAM pages are 124 cycles apart; 85 remain
/// after the issue and the page's address. Kernels take 190 to 244 cycles to their first transfer.
constexpr Cycles kEventRecord{85};
constexpr double kBeforeFirstRead = 200;

/// Parses "2x4_HEIGHT".
MemoryConfig shards_of(const Parameters& parameters, std::string_view key) {
    const std::string& text = parameters.text(key);
    const std::size_t bar = text.find('_');
    const std::string strategy = bar == std::string::npos ? "" : text.substr(bar + 1);
    expressible(strategy == "BLOCK" || strategy == "HEIGHT" || strategy == "WIDTH",
                "{} is {}, not ROWSxCOLUMNS_BLOCK, _HEIGHT or _WIDTH", key, text);
    const Parameters grid("grid=" + text.substr(0, bar));
    const GridSize rows_by_columns = grid.grid("grid");
    return {.memory = BufferType::L1,
            .layout = strategy == "BLOCK"    ? TensorMemoryLayout::BLOCK_SHARDED
                      : strategy == "HEIGHT" ? TensorMemoryLayout::HEIGHT_SHARDED
                                             : TensorMemoryLayout::WIDTH_SHARDED,
            .grid = {rows_by_columns.rows, rows_by_columns.columns}};
}

/// Returns the format whose tiles have this many bytes.
DataFormat format_of_page(std::uint32_t bytes) {
    for (const DataFormat format :
         {DataFormat::Float16_b, DataFormat::Float32, DataFormat::Bfp8_b, DataFormat::Bfp4_b}) {
        if (TensorSpec{{kTileSide, kTileSide}, format, Layout::TILE}.page_size() == bytes) {
            return format;
        }
    }
    throw NotExpressible(fmt::format("reads of {} bytes: no tile has that size", bytes));
}

TensorSpec tensor_of(std::uint32_t rows, std::uint32_t columns, std::uint32_t page_bytes) {
    return {{rows * kTileSide, columns * kTileSide}, format_of_page(page_bytes), Layout::TILE};
}

/// Returns a tensor whose pages form a matrix with twice as many rows as columns, as in the traces
/// (16 × 8), or the closest divisor of the pages.
TensorSpec resharded_tensor(const Parameters& parameters) {
    const std::uint32_t pages = parameters.count("reads");
    std::uint32_t columns = 1;
    for (std::uint32_t c = 1; 2 * c * c <= pages; ++c) {
        columns = pages % c == 0 ? c : columns;
    }
    return tensor_of(pages / columns, columns, parameters.count("bytes_per_read"));
}

/// Selects one RISC if all transfers are on one NoC, else both.
ops::ReshardMovers movers_of(const Parameters& parameters) {
    using ops::ReshardMovers;
    const std::string noc = parameters.text_or("noc", "NOC_0+NOC_1");
    expressible(noc == "NOC_0+NOC_1" || noc == "NOC_0" || noc == "NOC_1",
                "noc is {}, not NOC_0, NOC_1 or NOC_0+NOC_1", noc);
    return noc == "NOC_0"   ? ReshardMovers::Noc0
           : noc == "NOC_1" ? ReshardMovers::Noc1
                            : ReshardMovers::Both;
}

Replays run_l1_to_l1(const Parameters& parameters, Bench& bench) {
    const TensorSpec spec = resharded_tensor(parameters);
    const auto allocate = [&](const char* key) {
        const MemoryConfig shards = shards_of(parameters, key);
        check_core(bench.arch(), {shards.grid.columns - 1, shards.grid.rows - 1});
        return bench.session().allocate_sharded(0, key, spec, shards.memory, shards.layout,
                                                make_shard_spec(spec, shards));
    };
    const DeviceTensor input = allocate("src");
    const DeviceTensor output = allocate("dst");
    const ops::ReshardSpec schedule{movers_of(parameters)};
    return bench.run(
        ops::call_program(ops::reshard::op(), bench.arch(), &schedule, {input}, {output}));
}

/// Returns a tensor of the DRAM traces: 16 columns of pages, 8 rows per row of cores.
TensorSpec dram_tensor(const Parameters& parameters) {
    constexpr std::uint32_t kColumns = 16;
    const std::uint32_t pages = parameters.count("reads");
    expressible(pages % kColumns == 0, "{} reads are not whole rows of {}", pages, kColumns);
    return tensor_of(pages / kColumns, kColumns, parameters.count("bytes_per_read"));
}

Replays run_dram_to_l1(const Parameters& parameters, Bench& bench) {
    const TensorSpec spec = dram_tensor(parameters);
    const MemoryConfig config = shards_of(parameters, "dst");
    check_core(bench.arch(), {config.grid.columns - 1, config.grid.rows - 1});
    const ShardSpec shards = make_shard_spec(spec, config);
    const std::vector<CoreCoord> cores = shard_cores(shards);
    const DeviceTensor input = bench.session().allocate(0, "input", spec, BufferType::DRAM);
    const auto readers = static_cast<std::uint32_t>(cores.size());
    const std::uint32_t per_barrier =
        std::max(512 / readers * (1024 + 128) / input.buffer.page_size, 1U);
    const ShardReadTensors tensors{.tensor = &input.buffer};
    Program program = CreateProgram();
    const KernelHandle kernel = CreateKernel(
        program, "bench/accuracy/kernels/shard_read.cpp",
        CoreRangeSet(CoreRange({0, 0}, {config.grid.columns - 1, config.grid.rows - 1})),
        ops::reader_config(ShardReadArgs{.rows = shards.shard_shape[0],
                                         .columns = shards.shard_shape[1],
                                         .tensor_columns = shards.tensor_shape[1],
                                         .per_barrier = per_barrier},
                           tensors));
    const std::uint32_t across = shards.tensor_shape[1] / shards.shard_shape[1];
    for (std::uint32_t i = 0; i < readers; ++i) {
        const std::uint32_t first = i / across * shards.shard_shape[0] * shards.tensor_shape[1] +
                                    i % across * shards.shard_shape[1];
        ops::set_args(program, kernel, cores[i], ops::addresses_of(tensors),
                      ShardReadPlace{.landing = free_l1(bench.arch()), .first = first});
    }
    return bench.run(std::move(program));
}

Model with_event_records(Model model) {
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        timing->risc.read_issue = timing->risc.read_issue + kEventRecord;
        timing->risc.read_issue_dram = timing->risc.read_issue_dram + kEventRecord;
    }
    return model;
}

}  // namespace

Prediction predict_reshard(const Row& row, const Parameters& parameters, const Model& model) {
    expressible(row.workload.starts_with("reshard"), "workload {}: not a reshard", row.workload);
    const Model recorded = with_event_records(model);
    Bench bench(recorded);
    const Replays replays = parameters.text("src") == "DRAM" ? run_dram_to_l1(parameters, bench)
                                                             : run_l1_to_l1(parameters, bench);
    const Prediction span = replays.kernel_span_cycles();
    return as_time(row, span.as([](double cycles) { return cycles + kBeforeFirstRead; }), model);
}

}  // namespace tessera::score
