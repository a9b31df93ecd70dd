// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/bank_nocs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

#include "emu/base/noc_route.hpp"
#include "ops/shared/bank_cores.hpp"
#include "tessera/core_coord.hpp"

namespace tessera::ops {
namespace {

/// Reads by one core of one bank.
struct Flow {
    std::size_t core;
    std::uint32_t bank;
    std::array<CoreCoord, 2> from;  ///< node of the bank, by NoC
    CoreCoord to;
    std::uint32_t noc = 0;
    friend bool operator==(const Flow&, const Flow&) = default;
};

/// Flows on each link of both NoCs.
class LinkLoads {
public:
    explicit LinkLoads(GridSize grid)
        : grid_(grid), loads_(std::size_t{4} * grid.columns * grid.rows) {}

    void add(const Flow& flow, std::int64_t count) {
        visit(flow, flow.noc, [&](std::int64_t& load) { load += count; });
    }
    [[nodiscard]] std::int64_t fullest() const { return *std::ranges::max_element(loads_); }
    /// Returns what the flow would add to the sum over all links of load⁴, in which the fullest
    /// links count most.
    [[nodiscard]] double cost(const Flow& flow, std::uint32_t noc) {
        const auto power = [](std::int64_t load) {
            const auto square = static_cast<double>(load) * static_cast<double>(load);
            return square * square;
        };
        double sum = 0;
        visit(flow, noc, [&](std::int64_t load) { sum += power(load + 1) - power(load); });
        return sum;
    }

private:
    template <class Act>
    void visit(const Flow& flow, std::uint32_t noc, Act act) {
        NocRoute(grid_, noc).walk(flow.from[noc], flow.to, [&](CoreCoord node, NocAxis axis) {
            const std::size_t link = std::size_t{noc} * 2 + static_cast<std::size_t>(axis);
            act(loads_[(link * grid_.rows + node.y) * grid_.columns + node.x]);
        });
    }

    GridSize grid_;
    std::vector<std::int64_t> loads_;
};

std::vector<Flow> flows_of(const ArchSpec& arch) {
    const GridSize grid = arch.workers.compute;
    std::vector<Flow> flows;
    for (std::uint32_t y = 0; y < grid.rows; ++y) {
        for (std::uint32_t x = 0; x < grid.columns; ++x) {
            for (std::uint32_t bank = 0; bank < arch.dram.num_banks; ++bank) {
                const DramEndpoint& from = arch.dram.endpoints[bank];
                flows.push_back({.core = std::size_t{y} * grid.columns + x,
                                 .bank = bank,
                                 .from = {from.physical, from.physical1},
                                 .to = node_of_core(arch, {x, y})});
            }
        }
    }
    return flows;
}

std::vector<std::uint32_t> choose(GridSize noc, std::size_t num_cores, std::vector<Flow> flows) {
    std::vector<std::uint32_t> banks(num_cores);
    LinkLoads loads(noc);
    for (const Flow& flow : flows) {
        loads.add(flow, 1);
    }
    // On Wormhole and Blackhole a link is faster than a bank. Other devices are treated alike.
    if (loads.fullest() <= static_cast<std::int64_t>(banks.size())) {
        return banks;
    }
    // Each flow takes the better NoC in view of the others. More passes change little.
    constexpr int kPasses = 4;
    for (int pass = 0; pass < kPasses; ++pass) {
        for (Flow& flow : flows) {
            loads.add(flow, -1);
            flow.noc = loads.cost(flow, 1) < loads.cost(flow, 0) ? 1 : 0;
            loads.add(flow, 1);
        }
    }
    for (const Flow& flow : flows) {
        banks[flow.core] |= flow.noc << flow.bank;
    }
    return banks;
}

/// The last choice. Each device of each launch asks for one, nearly always for the same model of
/// device: without it they took a tenth of a run whose launches are in the cache.
class LastChoice {
public:
    [[nodiscard]] std::vector<std::uint32_t> of(GridSize noc, std::size_t num_cores,
                                                const std::vector<Flow>& flows) {
        const std::scoped_lock lock(mutex_);
        if (noc != noc_ || num_cores != banks_.size() || flows != flows_) {
            banks_ = choose(noc, num_cores, flows);
            noc_ = noc;
            flows_ = flows;
        }
        return banks_;
    }

private:
    std::mutex mutex_;
    GridSize noc_;
    std::vector<Flow> flows_;
    std::vector<std::uint32_t> banks_;
};

}  // namespace

std::vector<std::uint32_t> banks_over_noc1(const ArchSpec& arch) {
    const GridSize grid = arch.workers.compute;
    const std::size_t num_cores = std::size_t{grid.columns} * grid.rows;
    constexpr std::uint32_t kMostBanks = 32;
    if (arch.dram.num_banks > kMostBanks) {
        return std::vector<std::uint32_t>(num_cores);
    }
    static LastChoice last;
    return last.of(arch.noc.grid, num_cores, flows_of(arch));
}

}  // namespace tessera::ops
