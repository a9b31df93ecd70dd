// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/bank_camping.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tessera::advise {
namespace {

using Banks = std::vector<std::uint32_t>;

/// Longer series say nothing more.
constexpr std::size_t kMostOfACore = 65'536;

void add_banks(const ThreadTrace& thread, Banks& banks) {
    for (const TraceEvent& event : thread.events) {
        if (event.kind != EventKind::NocRead && event.kind != EventKind::NocWrite) {
            continue;
        }
        const NocPlace place = TransferArgument::unpack(event.argument).place;
        for (std::uint32_t i = 0; place.is_dram() && i < event.count; ++i) {
            if (banks.size() == kMostOfACore) {
                return;
            }
            banks.push_back(place.bank());
        }
    }
}

/// Banks of each core's transfers, in its order; of the first device, as the others do alike.
std::vector<Banks> banks_by_core(const LaunchTrace& launch) {
    std::vector<Banks> cores;
    for (const CoreTrace& core : launch.cores) {
        Banks banks;
        for (const ThreadTrace& thread : core.threads) {
            add_banks(thread, banks);
        }
        if (core.device == launch.cores.front().device && !banks.empty()) {
            cores.push_back(std::move(banks));
        }
    }
    return cores;
}

/// All cores' transfers as if they took turns.
Banks in_turns(const std::vector<Banks>& cores) {
    std::size_t longest = 0;
    for (const Banks& banks : cores) {
        longest = std::max(longest, banks.size());
    }
    Banks turns;
    for (std::size_t i = 0; i < longest; ++i) {
        for (const Banks& banks : cores) {
            if (i < banks.size()) {
                turns.push_back(banks[i]);
            }
        }
    }
    return turns;
}

double mean_distinct(const Banks& banks, std::size_t window) {
    std::size_t sum = 0;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin + window <= banks.size(); begin += window) {
        const auto first = banks.begin() + static_cast<std::ptrdiff_t>(begin);
        sum += std::set<std::uint32_t>(first, first + static_cast<std::ptrdiff_t>(window)).size();
        ++count;
    }
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

std::uint32_t stride_of(const std::vector<Banks>& cores, std::uint32_t num_banks) {
    std::map<std::uint32_t, std::size_t> strides;
    for (const Banks& banks : cores) {
        for (std::size_t i = 1; i < banks.size(); ++i) {
            ++strides[(banks[i] + num_banks - banks[i - 1]) % num_banks];
        }
    }
    const auto most =
        std::ranges::max_element(strides, {}, [](const auto& stride) { return stride.second; });
    return most == strides.end() ? 0 : most->first;
}

std::vector<std::vector<double>> map_of(const Banks& banks, std::uint32_t num_banks) {
    std::vector<std::vector<double>> map(num_banks, std::vector<double>(BankCamping::kSlices));
    std::vector<double> totals(BankCamping::kSlices);
    for (std::size_t i = 0; i < banks.size(); ++i) {
        const std::size_t slice = i * BankCamping::kSlices / banks.size();
        ++map[banks[i] % num_banks][slice];
        ++totals[slice];
    }
    for (auto& row : map) {
        for (std::size_t slice = 0; slice < row.size(); ++slice) {
            row[slice] /= std::max(totals[slice], 1.0);
        }
    }
    return map;
}

}  // namespace

std::optional<BankCamping> bank_camping(const LaunchTrace& launch, std::uint32_t num_banks) {
    const std::vector<Banks> cores = banks_by_core(launch);
    // As many transfers as cores have in flight at a time, one each: fewer cores than banks cannot
    // use them all, however they go about it.
    const std::size_t window = cores.size();
    const Banks turns = in_turns(cores);
    if (window < 2 || num_banks < 2 || turns.size() < 2 * window) {
        return std::nullopt;
    }
    const double banks = num_banks;
    return BankCamping{.step = launch.name,
                       .num_banks = num_banks,
                       .used = mean_distinct(turns, window),
                       .even = banks * (1 - std::pow(1 - 1 / banks, static_cast<double>(window))),
                       .stride = stride_of(cores, num_banks),
                       .map = map_of(turns, num_banks)};
}

}  // namespace tessera::advise
