// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/group_scores.hpp"

#include <map>

#include "bench/accuracy/group_basis.hpp"

namespace tessera::score {
namespace {

struct RowsOfGroup {
    std::size_t rows = 0;
    std::vector<Pair> pairs;
};

std::map<std::string, RowsOfGroup> by_group(std::span<const Row> rows,
                                            std::span<const RowScore> scores,
                                            const std::string& arch) {
    std::map<std::string, RowsOfGroup> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].arch != arch) {
            continue;
        }
        RowsOfGroup& group = groups[rows[i].group];
        ++group.rows;
        if (const auto& figure = scores[i].prediction) {
            group.pairs.push_back({figure->expected, rows[i].value, figure->low, figure->high});
        }
    }
    return groups;
}

/// Sums over groups, from which their mean is computed.
class MeanOfGroups {
public:
    void add(const GroupScore& group) {
        ++num_groups_;
        mean_.rows += group.rows;
        mean_.within_of_all += group.within_of_all;
        if (group.statistics.count > 0) {
            ++num_scored_;
            Statistics& sum = mean_.statistics;
            sum.count += group.statistics.count;
            sum.mean_absolute_error += group.statistics.mean_absolute_error;
            sum.bias += group.statistics.bias;
            sum.share_within_tenth += group.statistics.share_within_tenth;
            sum.share_covered += group.statistics.share_covered;
        }
    }
    void add_to(std::vector<GroupScore>& list, const std::string& arch, const std::string& name) {
        if (num_scored_ == 0) {
            return;
        }
        mean_.arch = arch;
        mean_.name = name;
        mean_.is_mean = true;
        mean_.within_of_all /= num_groups_;
        Statistics& sum = mean_.statistics;
        for (double* figure :
             {&sum.mean_absolute_error, &sum.bias, &sum.share_within_tenth, &sum.share_covered}) {
            *figure /= num_scored_;
        }
        list.push_back(mean_);
    }

private:
    GroupScore mean_;
    double num_groups_ = 0;
    double num_scored_ = 0;
};

}  // namespace

double GroupScore::share_scored() const noexcept {
    return rows == 0 ? 0 : static_cast<double>(statistics.count) / static_cast<double>(rows);
}

std::vector<GroupScore> group_scores(std::span<const Row> rows, std::span<const RowScore> scores) {
    std::vector<GroupScore> list;
    for (const char* arch : {"wormhole", "blackhole"}) {
        MeanOfGroups programs;
        MeanOfGroups circular;
        for (const auto& [name, group] : by_group(rows, scores, arch)) {
            GroupScore score{.arch = arch,
                             .name = name,
                             .rows = group.rows,
                             .statistics = statistics_of(group.pairs)};
            score.within_of_all = score.statistics.share_within_tenth * score.share_scored();
            (basis_of(name).basis == Basis::Circular ? circular : programs).add(score);
            list.push_back(std::move(score));
        }
        programs.add_to(list, arch, std::string(kMeanOfGroups));
        circular.add_to(list, arch, std::string(kMeanOfCircular));
    }
    return list;
}

}  // namespace tessera::score
