// SPDX-License-Identifier: Apache-2.0
// The steps of a layer as the roles add them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ops/op.hpp"

namespace tessera::ops::fused_moe {

/// −1 as a fill of ids: a row that chooses no expert.
inline constexpr const char* kNoExpert = "4294967295";

/// Parameters of a step as YAML would have them.
using Settings = std::vector<std::pair<std::string, std::string>>;

class Steps {
public:
    /// Adds a step whose first output is `tensor`, under which name the step goes too.
    /// @returns the name.
    std::string add(const std::string& op, const std::string& tensor,
                    std::vector<std::string> inputs, Settings set = {});
    /// Adds a step with further outputs.
    std::string add(const std::string& op, std::vector<std::string> outputs,
                    std::vector<std::string> inputs, Settings set = {});

    /// Adds a step whose tensor is in memory of that name, which others use before and after.
    std::string add_in(const char* memory, const std::string& op, const std::string& tensor,
                       std::vector<std::string> inputs, Settings set = {});

    /// The same of a step with further outputs, which are placed by themselves.
    std::string add_in(const char* memory, const std::string& op, std::vector<std::string> outputs,
                       std::vector<std::string> inputs, Settings set = {});

    /// Adds a step `name` that writes the tensor `into`, which is there already.
    std::string add_into(const std::string& op, const std::string& name, const std::string& into,
                         std::vector<std::string> inputs, Settings set);

    /// Returns the name of output `name` of a step that is added now.
    [[nodiscard]] std::string tensor(const std::string& name) const { return prefix_ + name; }
    /// Gives all outputs that are added from here on `prefix` before their names: chunks.
    void name_with(std::string prefix) { prefix_ = std::move(prefix); }
    /// Calls the tensor `from`, that a step makes, `to`.
    void rename(const std::string& from, const std::string& to);

    [[nodiscard]] std::vector<PartStep> take() { return std::move(steps_); }

private:
    std::string prefix_;
    std::vector<PartStep> steps_;
};

}  // namespace tessera::ops::fused_moe
