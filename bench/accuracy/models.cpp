// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/accuracy/parameters.hpp"
#include "runtime/config/load.hpp"

namespace tessera::score {
namespace {

// Sources
// - tech_reports/CCLs/CCL_bandwidth.md: Wormhole's links are those of every board; Blackhole's ran
//   at 25 GB/s. Links over cables are faster.
// - tech_reports/Saturating_DRAM_bandwidth: 12 GT/s.
constexpr ReportedSetup kWormholeSetup{.dram_rate = 12};

// Two banks share each row, and its links where cores are not next to them. Wormhole's ports at
// that time equal today's.
// Source   tt-metal soc_descriptors/blackhole_140_arch.yaml before dram_views,
//          dram_preferred_worker_endpoint.
constexpr std::array<CoreCoord, 8> kBlackholePorts{
    {{0, 11}, {0, 3}, {0, 8}, {0, 6}, {9, 11}, {9, 3}, {9, 8}, {9, 6}}};
// An all-gather relays slices from 1 MB per link.
// Source   tt-metal ttnn/cpp/ttnn/operations/ccl/all_gather/device/all_gather_device_operation.cpp,
//          select_program_factory.
constexpr ReportedSetup kBlackholeSetup{.collective_link_rate = BytesPerSecond{25e9},
                                        .gather_relays_from = 1'000'000,
                                        .dram_ports = kBlackholePorts};

/// Name of a board at the start of a row's `board` value, and its properties.
struct Board {
    std::string_view name;
    std::string_view file;
    ReportedSetup setup;
    GridSize compute;  ///< 0×0: as in the arch file
    std::uint32_t num_banks = 0;
};

// The first entry of an architecture is its default board.
// Source   tt-metal, noc_latencies.yaml: an n300 chip has 8×7 cores for programs; tenstorrent.com:
//          a p100a has 28 GB in 7 banks.
constexpr std::array<Board, 6> kBoards{{{"n150", "wormhole_n150", kWormholeSetup, {}, 0},
                                        {"n300", "wormhole_n150", kWormholeSetup, {8, 7}, 0},
                                        {"galaxy", "wormhole_n150", kWormholeSetup, {}, 0},
                                        {"p150", "blackhole_p150", kBlackholeSetup, {}, 0},
                                        {"p100", "blackhole_p150", kBlackholeSetup, {11, 10}, 7},
                                        {"p300", "blackhole_p150", kBlackholeSetup, {11, 10}, 0}}};

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char character) {
        return static_cast<char>(character >= 'A' && character <= 'Z' ? character + 32 : character);
    });
    return text;
}

const Board& board_of(const std::string& architecture, const std::string& name) {
    const auto* board = std::ranges::find_if(kBoards, [&](const Board& candidate) {
        return candidate.file.starts_with(architecture) &&
               in_lower_case(name).starts_with(name.empty() ? "" : candidate.name);
    });
    expressible(board != kBoards.end(), "no device model for the board {} of {}", name,
                architecture);
    return *board;
}

/// Removes the last rows and columns, which the board does not have.
void cut_grid(WorkerGridSpec& workers, GridSize compute) {
    if (compute == GridSize{}) {
        return;
    }
    workers.harvested_rows.insert(workers.harvested_rows.end(),
                                  workers.noc_rows.begin() + compute.rows, workers.noc_rows.end());
    workers.noc_rows.resize(compute.rows);
    workers.noc_columns.resize(compute.columns);
    workers.compute = compute;
}

Model load(const std::filesystem::path& folder, const Board& board, const timed_run::Draws& draws) {
    auto [arch, timing, resolved] = config::load_arch(folder / fmt::format("{}.yaml", board.file));
    cut_grid(arch.workers, board.compute);
    if (board.num_banks != 0) {
        arch.dram.num_banks = board.num_banks;
        arch.dram.endpoints.resize(board.num_banks);
    }
    const std::string_view architecture = board.file.substr(0, board.file.find('_'));
    return {std::move(arch), std::move(timing), draws, board.setup, unreplayed_costs(architecture)};
}

}  // namespace

const Model& Models::of(const std::string& architecture, const std::string& board) {
    const Board& entry = board_of(architecture, board);
    const std::lock_guard lock(mutex_);
    auto& model = models_[std::string(entry.name)];
    if (!model) {
        model = std::make_unique<const Model>(load(folder_, entry, draws_));
    }
    return *model;
}

}  // namespace tessera::score
