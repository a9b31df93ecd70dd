// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/alternatives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "bench/accuracy/spelling.hpp"
#include "runtime/study/compare.hpp"

namespace tessera::score {
namespace {

using Words = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

struct Candidate {
    const Row* row = nullptr;
    const Prediction* prediction = nullptr;
    Words words;
    Values values;
};

Words split(const std::string& text, char separator) {
    Words words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, separator);) {
        words.push_back(word);
    }
    return words;
}

Values values_of(const std::string& parameters) {
    Values values;
    for (const std::string& part : split(respelled(parameters), ';')) {
        const std::size_t equals = part.find('=');
        if (equals != std::string::npos) {
            values.emplace(part.substr(0, equals), part.substr(equals + 1));
        }
    }
    return values;
}

/// Two workload words in alphabetical order, and the name of the choice between them.
struct Choice {
    std::string_view one;
    std::string_view other;
    std::string_view name;
};
constexpr std::array<Choice, 4> kChoices{{{"from", "to", "reads or writes"},
                                          {"line", "ring", "line or ring"},
                                          {"multicast", "unicast", "unicast or multicast"},
                                          {"read", "write", "reads or writes"}}};

constexpr std::string_view kOtherWorkload = "another workload";

std::string choice_name(std::string one, std::string other) {
    if (other < one) {
        std::swap(one, other);
    }
    for (const Choice& choice : kChoices) {
        if (choice.one == one && choice.other == other) {
            return std::string(choice.name);
        }
    }
    return std::string(kOtherWorkload);
}

/// Returns the name of the choice if the workloads differ in one word; "" if they are equal.
std::optional<std::string> workload_choice(const Words& a, const Words& b) {
    if (a.size() != b.size()) {
        return std::nullopt;
    }
    std::string name;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i]) {
            if (!name.empty()) {
                return std::nullopt;
            }
            name = choice_name(a[i], b[i]);
        }
    }
    return name;
}

/// Returns the only key whose values differ; "" if the values are equal. Returns nothing if several
/// values or the keys differ.
std::optional<std::string> parameter_choice(const Values& a, const Values& b) {
    if (a.size() != b.size()) {
        return std::nullopt;
    }
    std::string name;
    for (auto one = a.begin(), other = b.begin(); one != a.end(); ++one, ++other) {
        if (one->first != other->first || (one->second != other->second && !name.empty())) {
            return std::nullopt;
        }
        name = one->second != other->second ? one->first : name;
    }
    return name;
}

std::optional<std::string> choice_between(const Candidate& a, const Candidate& b) {
    const auto workload = workload_choice(a.words, b.words);
    const auto parameter = workload ? parameter_choice(a.values, b.values) : std::nullopt;
    if (!parameter || workload->empty() == parameter->empty()) {
        return std::nullopt;
    }
    return workload->empty() ? *parameter : *workload;
}

bool is_far_apart(double a, double b) {
    return std::abs(a - b) > kFarApart * std::min(a, b);
}

/// Returns the share of sample pairs whose difference has the expected sign.
double share_of_sign(const Prediction& a, const Prediction& b) {
    const bool rises = b.expected > a.expected;
    const std::size_t count = std::min(a.samples.a.size(), b.samples.b.size());
    std::size_t same = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double difference = b.samples.b[i] - a.samples.a[i];
        same += rises ? difference > 0 : difference < 0;
    }
    return count == 0 ? 0 : static_cast<double>(same) / static_cast<double>(count);
}

void count(const Candidate& a, const Candidate& b, AlternativeKind& kind) {
    const bool is_right =
        (a.prediction->expected < b.prediction->expected) == (a.row->value < b.row->value) &&
        a.prediction->expected != b.prediction->expected;
    const bool is_robust = share_of_sign(*a.prediction, *b.prediction) >= compare::kRobustShare;
    ++kind.num_pairs;
    kind.num_right += is_right ? 1 : 0;
    kind.num_robust += is_robust ? 1 : 0;
    kind.num_robust_right += is_robust && is_right ? 1 : 0;
}

/// Groups scored rows by the properties that alternatives must share.
std::map<Words, std::vector<Candidate>> pools_of(std::span<const Row> rows,
                                                 std::span<const RowScore> scores) {
    std::map<Words, std::vector<Candidate>> pools;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        if (scores[i].prediction) {
            pools[{row.group, row.arch, row.metric, row.unit}].push_back(
                {&row, &*scores[i].prediction, split(row.workload, ' '),
                 values_of(row.parameters)});
        }
    }
    return pools;
}

}  // namespace

bool is_amount_or_workload(std::string_view kind) noexcept {
    constexpr std::array<std::string_view, 9> kKinds{
        kOtherWorkload,  "bytes",         "bytes_per_packet", "bytes_per_txn", "kernel_bytes",
        "message_bytes", "num_txn_total", "payload",          "tiles"};
    return std::ranges::find(kKinds, kind) != kKinds.end();
}

std::vector<AlternativeKind> alternatives_of(std::span<const Row> rows,
                                             std::span<const RowScore> scores) {
    std::map<std::string, AlternativeKind> kinds;
    for (const auto& [common, pool] : pools_of(rows, scores)) {
        for (std::size_t i = 0; i < pool.size(); ++i) {
            for (std::size_t j = i + 1; j < pool.size(); ++j) {
                const auto name = is_far_apart(pool[i].row->value, pool[j].row->value)
                                      ? choice_between(pool[i], pool[j])
                                      : std::nullopt;
                if (name) {
                    AlternativeKind& kind = kinds[*name];
                    kind.name = *name;
                    count(pool[i], pool[j], kind);
                }
            }
        }
    }
    std::vector<AlternativeKind> sorted;
    for (auto& [name, kind] : kinds) {
        sorted.push_back(std::move(kind));
    }
    return sorted;
}

}  // namespace tessera::score
