// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/dependency_list.hpp"

#include <algorithm>
#include <string>

namespace tessera {

std::vector<std::filesystem::path> dependencies_in(std::string_view rule) {
    const std::size_t target_end = std::min(rule.find(": "), rule.find(":\n"));
    rule.remove_prefix(std::min(rule.size(), target_end));
    if (!rule.empty()) {
        rule.remove_prefix(1);
    }
    std::vector<std::filesystem::path> paths;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) {
            paths.emplace_back(word);
            word.clear();
        }
    };
    for (std::size_t i = 0; i < rule.size(); ++i) {
        const bool is_escape = rule[i] == '\\' && i + 1 < rule.size();
        const bool is_doubled = rule.substr(i, 2) == "$$";
        if (is_doubled || (is_escape && (rule[i + 1] == ' ' || rule[i + 1] == '#'))) {
            word += rule[++i];
        } else if (rule[i] == ' ' || rule[i] == '\n') {
            end_word();
        } else if (!is_escape || rule[i + 1] != '\n') {
            word += rule[i];
        }
    }
    end_word();
    return paths;
}

}  // namespace tessera
