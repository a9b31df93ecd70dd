// SPDX-License-Identifier: Apache-2.0
// Host programs of a generation of the vendor's API, each a function that returns whether its
// results are right.
#pragma once

#include <span>

namespace metalium_programs {

struct Program {
    const char* name;
    bool (*is_right)();
};

/// Runs the program that the command line names, and prints PASS or FAIL. Returns 0 for PASS.
int run(std::span<const Program> programs, int argc, char** argv);

}  // namespace metalium_programs
