// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/bank_camping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tessera::advise {
namespace {

using Banks = std::vector<std::uint32_t>;

/// Limit of a core's series; longer ones give the same figures and need more memory.
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

/// Returns the banks of each core's transfers, in order. Only the first device is used, because
/// devices of a mesh do the same.
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

/// Merges the cores' transfers, one of each core in turn: the trace has no times, and cores of a
/// launch start together.
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

/// Returns the mean number of distinct banks in consecutive windows. Windows follow one another, so
/// that each transfer counts once.
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

/// Returns the most frequent distance between consecutive transfers of a core, which names the
/// cause: 0 for pages a multiple of the banks apart.
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

/// Returns the expected number of distinct banks of transfers to random banks.
double even_use(double banks, double transfers) {
    return banks * (1 - std::pow(1 - 1 / banks, transfers));
}

/// Sums of the transfers of one line, one core after another. Looked at by line, because the
/// transfers of all lines together can be even while one line reads down a column from a single
/// bank.
struct LineSum {
    std::uint64_t transfers = 0;
    std::uint64_t windows = 0;
    std::uint64_t distinct = 0;  ///< over all windows
    std::map<std::uint32_t, std::uint64_t> strides;

    void add(const Banks& banks, std::uint32_t num_banks) {
        transfers += banks.size();
        std::vector<std::uint32_t> inside(num_banks);  // transfers of the window in each bank
        // A sliding window: consecutive reads of a core may cross the edges of fixed ones.
        std::uint64_t now = 0;
        for (std::size_t i = 0; i < banks.size(); ++i) {
            now += inside[banks[i]]++ == 0 ? 1 : 0;
            if (i > 0) {
                ++strides[(banks[i] + num_banks - banks[i - 1]) % num_banks];
            }
            // The window has as many transfers as banks: distributed pages reach each bank once.
            if (i + 1 >= num_banks) {
                ++windows;
                distinct += now;
                now -= --inside[banks[i + 1 - num_banks]] == 0 ? 1 : 0;
            }
        }
    }
};

/// Returns the banks of a thread's transfers by line, in order.
std::map<TraceSite, Banks> banks_by_line(const ThreadTrace& thread, std::uint32_t num_banks) {
    std::map<TraceSite, Banks> lines;
    for (const TraceEvent& event : thread.events) {
        if (event.kind != EventKind::NocRead && event.kind != EventKind::NocWrite) {
            continue;
        }
        const NocPlace place = TransferArgument::unpack(event.argument).place;
        if (!place.is_dram() || event.site >= thread.sites.size()) {
            continue;
        }
        Banks& banks = lines[thread.sites[event.site]];
        if (banks.size() + event.count <= kMostOfACore) {
            // Reads that one event counts go to one bank. Only whole events are added.
            banks.insert(banks.end(), event.count, place.bank() % num_banks);
        }
    }
    return lines;
}

std::vector<LineBanks> lines_of(const LaunchTrace& launch, std::uint32_t num_banks,
                                const std::vector<std::string>& names) {
    std::map<TraceSite, LineSum> sums;
    for (const CoreTrace& core : launch.cores) {
        if (core.device != launch.cores.front().device) {
            continue;
        }
        // Series of different cores are never joined, since a window is of one core.
        for (const ThreadTrace& thread : core.threads) {
            for (const auto& [site, banks] : banks_by_line(thread, num_banks)) {
                sums[site].add(banks, num_banks);
            }
        }
    }
    std::vector<LineBanks> lines;
    for (const auto& [site, sum] : sums) {
        // Without a whole window nothing is known about the line.
        if (sum.windows == 0 || site.file >= names.size() || site.line == 0) {
            continue;
        }
        const auto most = std::ranges::max_element(
            sum.strides, {}, [](const auto& stride) { return stride.second; });
        lines.push_back(
            {.line = fmt::format("{}:{}", names[site.file], site.line),
             .transfers = sum.transfers,
             .used = static_cast<double>(sum.distinct) / static_cast<double>(sum.windows),
             .stride = most->first});
    }
    std::ranges::stable_sort(lines, std::ranges::greater{}, &LineBanks::transfers);
    return lines;
}

/// Returns each bank's share of the transfers in kSlices consecutive parts.
std::vector<std::vector<double>> map_of(const Banks& banks, std::uint32_t num_banks) {
    std::vector<std::vector<double>> map(num_banks, std::vector<double>(BankCamping::kSlices));
    // Slices divide the transfers, since the trace has no times.
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

bool camps(const LineBanks& line, std::uint32_t num_banks) {
    return line.used < kCamps * even_use(num_banks, num_banks);
}

std::optional<BankCamping> bank_camping(const LaunchTrace& launch, std::uint32_t num_banks,
                                        const std::vector<std::string>& names) {
    const std::vector<Banks> cores = banks_by_core(launch);
    // A window has one transfer of each core, as if all were in flight. Fewer cores than banks
    // cannot use all banks in any order.
    const std::size_t window = cores.size();
    const Banks turns = in_turns(cores);
    // One core cannot queue with itself, and two windows are the least for a mean.
    if (window < 2 || num_banks < 2 || turns.size() < 2 * window) {
        return std::nullopt;
    }
    return BankCamping{.step = launch.name,
                       .num_banks = num_banks,
                       .used = mean_distinct(turns, window),
                       .even = even_use(num_banks, static_cast<double>(window)),
                       .stride = stride_of(cores, num_banks),
                       .map = map_of(turns, num_banks),
                       .lines = lines_of(launch, num_banks, names)};
}

}  // namespace tessera::advise
