// SPDX-License-Identifier: Apache-2.0
// Records of rules that hold across fields.
#pragma once

#include <string>

#include "runtime/config/bind.hpp"

namespace tessera::config {

/// Records violations of rules at the position of the value that a rule names.
class Judge {
public:
    /// `prefix` is the prefix of each path: "" for run files, "arch." for the device of a run.
    Judge(Binding& binding, std::string prefix) : binding_(&binding), prefix_(std::move(prefix)) {}

    /// Records `position of path: path: text` unless `holds`.
    void require(bool holds, const std::string& path, const std::string& text);

private:
    [[nodiscard]] const Origin& origin_of(const ResolvedValue& named,
                                          const std::string& text) const;

    Binding* binding_;
    std::string prefix_;
};

}  // namespace tessera::config
