// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/steps.hpp"

#include <algorithm>

namespace tessera::ops::fused_moe {

std::string Steps::add(const std::string& op, const std::string& tensor,
                       std::vector<std::string> inputs, Settings set) {
    return add(op, std::vector{tensor}, std::move(inputs), std::move(set));
}

std::string Steps::add(const std::string& op, std::vector<std::string> outputs,
                       std::vector<std::string> inputs, Settings set) {
    // All names of a step get the chunk's prefix, so that steps of several chunks differ.
    for (std::string& output : outputs) {
        output.insert(0, prefix_);
    }
    std::string name = outputs.front();
    steps_.push_back({.name = std::move(name),
                      .op = op,
                      .inputs = std::move(inputs),
                      .outputs = std::move(outputs),
                      .set = std::move(set)});
    return steps_.back().outputs.front();
}

std::string Steps::add_in(const char* memory, const std::string& op, const std::string& tensor,
                          std::vector<std::string> inputs, Settings set) {
    return add_in(memory, op, std::vector{tensor}, std::move(inputs), std::move(set));
}

std::string Steps::add_in(const char* memory, const std::string& op,
                          std::vector<std::string> outputs, std::vector<std::string> inputs,
                          Settings set) {
    std::string name = add(op, std::move(outputs), std::move(inputs), std::move(set));
    steps_.back().workspaces = {memory};
    return name;
}

std::string Steps::add_into(const std::string& op, const std::string& name, const std::string& into,
                            std::vector<std::string> inputs, Settings set) {
    steps_.push_back({.name = name,
                      .op = op,
                      .inputs = std::move(inputs),
                      .outputs = {into},
                      .set = std::move(set)});
    return into;
}

void Steps::rename(const std::string& from, const std::string& to) {
    for (PartStep& step : steps_) {
        std::ranges::replace(step.inputs, from, to);
        std::ranges::replace(step.outputs, from, to);
    }
}

}  // namespace tessera::ops::fused_moe
