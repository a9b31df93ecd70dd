// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/line_table.hpp"

#include "tessera/errors.hpp"

namespace tessera::report {

LineTable::LineTable(const std::vector<std::string>& names, const LaunchTimeline& timeline) {
    std::map<TraceSite, std::uint32_t> known;
    for (const ThreadTimeline& thread : timeline.threads) {
        std::vector<std::uint32_t> indices{0};  // site 0 is "no line"
        for (std::size_t site = 1; site < thread.sites.size(); ++site) {
            const TraceSite& place = thread.sites[site];
            ensure(place.file < names.size(), "site {} names file {} of {}", site, place.file,
                   names.size());
            const auto next = static_cast<std::uint32_t>(lines_.size());
            const auto [found, is_new] = known.try_emplace(place, next);
            if (is_new) {
                lines_.push_back({names[place.file], place.line});
            }
            indices.push_back(found->second);
        }
        by_thread_.push_back(std::move(indices));
    }
}

std::uint32_t LineTable::index(std::uint32_t thread, std::uint16_t site) const {
    if (thread >= by_thread_.size() || site >= by_thread_[thread].size()) {
        return 0;
    }
    return by_thread_[thread][site];
}

}  // namespace tessera::report
