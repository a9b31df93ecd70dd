// SPDX-License-Identifier: Apache-2.0
// goal_table [--json] FILE…: the goals in what benches wrote with --benchmark_out.
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/goal_table/goal_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::bench {
namespace {

// Returns the name in /proc/cpuinfo, or "unnamed processor" on hosts without it.
std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unnamed processor";
}

nlohmann::json read(const std::string& path) {
    std::ifstream file(path);
    require(file.is_open(), "{}: no such file", path);
    try {
        return nlohmann::json::parse(file);
    } catch (const nlohmann::json::exception& error) {
        throw UsageError(path + ": " + error.what());
    }
}

void print_table(int num_args, char** args) {
    std::vector<Goal> goals;
    std::string machine;
    bool wants_json = false;
    for (int i = 1; i < num_args; ++i) {
        if (std::string_view(args[i]) == "--json") {
            wants_json = true;
            continue;
        }
        const nlohmann::json run = read(args[i]);
        machine = machine_of(run, processor_name());
        for (Goal& goal : goals_of(run)) {
            goals.push_back(std::move(goal));
        }
    }
    const std::string text =
        wants_json ? to_json(goals, machine).dump(2) + "\n" : to_text(goals, machine);
    std::fputs(text.c_str(), stdout);
}

}  // namespace
}  // namespace tessera::bench

int main(int num_args, char** args) {
    try {
        tessera::bench::print_table(num_args, args);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "goal_table: %s\n", error.what());
        return 2;
    }
}
