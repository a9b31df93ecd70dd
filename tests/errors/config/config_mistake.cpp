// SPDX-License-Identifier: Apache-2.0
#include "tests/errors/config/config_mistake.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "runtime/cli/command_line.hpp"
#include "runtime/config/load.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(TESSERA_SOURCE_DIR) / "configs";

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) {
        text.replace(at, part.size(), instead);
    }
    return text;
}

std::string refusal(const std::function<void()>& load) {
    try {
        load();
    } catch (const ConfigError& error) {
        return error.what();
    } catch (const std::exception& error) {
        ADD_FAILURE() << "not a ConfigError: " << error.what();
    }
    return "";
}

/// Returns the refusal of `tessera COMMAND FILE --set …`, or "" if it runs.
std::string refusal_of_command(const char* command, const fs::path& file,
                               const std::vector<std::string>& sets) {
    std::vector<std::string> arguments{command, file};
    for (const std::string& set : sets) {
        arguments.insert(arguments.end(), {"--set", set});
    }
    std::ostringstream out;
    cli::Console console{out, out, {}};
    return refusal([&] { (void)cli::run_command_line(arguments, console); });
}

}  // namespace

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result(text);
    const auto at = result.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(result.find(from, at + 1), std::string::npos) << from << " stands more than once";
    return result.replace(at, from.size(), to);
}

std::string refusal_of_run(const std::string& text, const std::vector<std::string>& sets) {
    const ScratchFolder folder;
    const fs::path file = folder.write("run.yaml", text);
    // check accepts a file with a block `sweep:` as a sweep; run refuses it.
    const bool is_sweep = text.find("\nsweep:") != std::string::npos;
    const std::string refused = refusal_of_command(is_sweep ? "run" : "check", file, sets);
    if (!refused.empty()) {
        EXPECT_EQ(refusal_of_command("run", file, sets), refused) << "check and run differ";
    }
    return without(without(refused, folder.file("")), kConfigs.string() + "/", "configs/");
}

std::string refusal_of_arch(std::string_view from, std::string_view to) {
    std::ostringstream stream;
    stream << std::ifstream(kConfigs / "arch" / "wormhole_n150.yaml").rdbuf();
    const std::string text = stream.str();
    const auto at = static_cast<std::ptrdiff_t>(text.find(from));
    const auto line = std::count(text.begin(), text.begin() + at, '\n') + 1;
    const auto column = at - static_cast<std::ptrdiff_t>(text.rfind('\n', text.find(from)));

    const ScratchFolder folder;
    const fs::path file = folder.write("wormhole_n150.yaml", replaced(text, from, to));
    const std::string message = refusal([&] { (void)config::load_arch(file); });
    return without(without(message, folder.file("")), fmt::format(":{}:{}:", line, column), ":@:");
}

}  // namespace tessera::test
