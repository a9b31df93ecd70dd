// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sums_of_parts.hpp"

#include "tessera/errors.hpp"

namespace tessera::timed_run {

void SumsOfParts::expect(std::vector<Keyed> sums) {
    expected_ = {};
    for (Keyed& part : sums) {
        expected_.keys.push_back(part.key);
        expected_.sums.push_back(
            std::make_shared<const report::IntervalSums>(std::move(part.sums)));
    }
}

void SumsOfParts::begin(const timing::LaunchPartition& partition) {
    Launch next{.keys = partition.keys, .sums = {}};
    next.sums.resize(partition.parts.size());
    before_ = std::exchange(launch_, std::move(next));
}

void SumsOfParts::note(std::size_t part, report::IntervalSums sums) {
    auto noted = std::make_shared<const report::IntervalSums>(std::move(sums));
    const std::scoped_lock lock(*mutex_);
    launch_.sums.at(part) = std::move(noted);
}

SumsOfParts::Sums SumsOfParts::known(const timing::PartKey& key) const {
    for (const Launch* const launch : {&expected_, &before_}) {
        for (std::size_t part = 0; part < launch->sums.size(); ++part) {
            if (launch->sums[part] && launch->keys[part] == key) {
                return launch->sums[part];
            }
        }
    }
    return nullptr;
}

std::vector<const report::IntervalSums*> SumsOfParts::all(
    const timing::LaunchPartition& partition) {
    std::vector<const report::IntervalSums*> all;
    for (std::size_t part = 0; part < partition.parts.size(); ++part) {
        Sums& sums = launch_.sums.at(part);
        if (!sums) {
            sums = launch_.sums[partition.representatives[part]];
        }
        if (!sums) {
            // Noted for this launch too: a third launch with this part looks only here.
            sums = known(partition.keys[part]);
        }
        ensure(sums != nullptr, "part {} of {} was neither replayed nor kept", part,
               partition.parts.size());
        all.push_back(sums.get());
    }
    return all;
}

}  // namespace tessera::timed_run
