// SPDX-License-Identifier: Apache-2.0
// What a cross-field rule is given, and where it notes what does not hold.
#pragma once

#include <string>

#include "runtime/config/bind.hpp"

namespace tessera::config {

/// Notes violations of rules at the place of the value that a rule blames.
class Judge {
public:
    /// `prefix` stands before each path: "" for run files, "arch." below a run.
    Judge(Binding& binding, std::string prefix) : binding_(&binding), prefix_(std::move(prefix)) {}

    /// Notes `place of path: path: text` unless `holds`.
    void require(bool holds, const std::string& path, const std::string& text);

private:
    Binding* binding_;
    std::string prefix_;
};

}  // namespace tessera::config
