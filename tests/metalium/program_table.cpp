// SPDX-License-Identifier: Apache-2.0
#include "tests/metalium/program_table.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace metalium_programs {

int run(std::span<const Program> programs, int argc, char** argv) {
    const std::string_view name = argc == 2 ? argv[1] : "";
    const auto found = std::ranges::find(
        programs, name, [](const Program& program) { return std::string_view(program.name); });
    if (found == programs.end()) {
        std::fprintf(stderr, "usage: PROGRAM NAME\n");
        return 2;
    }
    const bool is_right = found->is_right();
    std::puts(is_right ? "PASS" : "FAIL");
    return is_right ? 0 : 1;
}

}  // namespace metalium_programs
