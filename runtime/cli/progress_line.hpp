// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says what a run is doing, and goes away at its end.
#pragma once

#include <string>

#include "runtime/cli/console.hpp"

namespace tessera::cli {

class ProgressLine {
public:
    /// Shows nothing if the console's progress is hidden.
    explicit ProgressLine(const Console& console) : console_(console) {}
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Replaces the line.
    void show(const std::string& text);

private:
    const Console& console_;
};

}  // namespace tessera::cli
