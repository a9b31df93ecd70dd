// SPDX-License-Identifier: Apache-2.0
#include "emu/core/trace_recorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera {

std::uint16_t TraceRecorder::find_site(CallSite site) {
    if (site.line == 0) {
        return 0;
    }
    // A search through all: a kernel calls the API from a few dozen lines, and the cache in front
    // (site_index) answers all but the first call of each.
    const auto it = std::ranges::find_if(sites_, [site](const CallSite& known) {
        return known.line == site.line && known.file == site.file;
    });
    if (it == sites_.end()) {
        ensure(sites_.size() <= std::numeric_limits<std::uint16_t>::max(),
               "a kernel thread called the kernel API from more than {} lines", sites_.size() - 1);
        sites_.push_back(site);
        return static_cast<std::uint16_t>(sites_.size() - 1);
    }
    return static_cast<std::uint16_t>(it - sites_.begin());
}

// By a half: twice the memory, as the library takes it, was more than the events of a large launch.
void TraceRecorder::grow() {
    events_.reserve(events_.capacity() + std::max(events_.capacity() / 2, kFirstEvents));
}

void TraceRecorder::record_instructions(InstructionCount count, std::uint16_t site) {
    recorded_ = *counters_;
    std::uint32_t calls = std::exchange(num_calls_, 0);
    const auto take = [](std::uint32_t& left, std::uint32_t most) {
        const std::uint32_t part = std::min(left, most);
        left -= part;
        return part;
    };
    while (count != InstructionCount{}) {
        const InstructionArgument argument{
            take(count.load_waits, InstructionArgument::kMostLoadWaits),
            take(count.store_waits, InstructionArgument::kMostStoreWaits),
            take(count.products, InstructionArgument::kMostProducts),
            take(count.dividend_bits, InstructionArgument::kMostDividendBits),
            take(calls, InstructionArgument::kMostCalls)};
        store({EventKind::Instructions, 0, site, count.slots, argument.pack()});
        count.slots = 0;
    }
}

}  // namespace tessera
