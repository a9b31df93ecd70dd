// SPDX-License-Identifier: Apache-2.0
// tessera new op: writes an op that runs, as a start for the user's own op.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <vector>

#include "ops/registry.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "runtime/steps/own_op.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

// The smallest op with parameters. It is part of Tessera, so the template is compiled and tested.
constexpr const char* kTemplate = "scale";

constexpr const char* kRunFile =
    R"(# Runs the op in the folder {0} on random values and compares it with its reference:
#   tessera run {0}.yaml
ops: [./{0}]

mesh:
  device: wormhole_n150
  shape: [1, 1]

params: {{M: 256, N: 512}}

tensors:
  x: {{shape: [M, N], dtype: bfloat16, layout: tile}}

steps:
  - {{name: {0}, op: {0}, in: [x], out: [y], set: {{factor: 1.5}}}}
)";

void check_name(const std::string& name) {
    pipeline::require_op_name("new op", name);
    require(ops::find_op(name) == nullptr,
            "new op {}: Tessera has an op of that name, and yours would hide it", name);
    for (const std::string& path : {name, name + ".yaml"}) {
        require(!fs::exists(path), "new op {}: {} exists already", name, path);
    }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// "my_bmm" ▸ "MyBmm".
std::string camel_case(const std::string& name) {
    std::string camel;
    bool starts = true;
    for (const char letter : name) {
        if (letter == '_') {
            starts = true;
        } else {
            camel +=
                starts && letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
            starts = false;
        }
    }
    return camel;
}

std::string renamed(std::string text, const std::string& name) {
    text = replaced(std::move(text), "ScaleSpec", camel_case(name) + "Spec");
    for (const char* place : {"ops/{}/", "ops::{}", "\"{}\"", "/{}.hpp"}) {
        text = replaced(std::move(text), fmt::format(fmt::runtime(place), kTemplate),
                        fmt::format(fmt::runtime(place), name));
    }
    // Relative paths to shared headers lead out of the tree only.
    text = replaced(std::move(text), "\"../../shared/", "\"ops/shared/");
    return replaced(std::move(text),
                    ": the smallest op with parameters, and what `tessera new op` copies.", ".");
}

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path().empty() ? "." : file.parent_path());
    std::ofstream stream(file);
    stream << text;
    stream.close();
    require(!stream.fail(), "new op: {} cannot be written", file.string());
}

ExitCode make(const std::string& name, const Console& console) {
    check_name(name);
    const std::vector<std::string> files{fmt::format("{}.hpp", kTemplate),
                                         fmt::format("{}.cpp", kTemplate),
                                         "kernels/args.hpp",
                                         "kernels/reader.cpp",
                                         "kernels/compute.cpp",
                                         "kernels/writer.cpp"};
    for (const std::string& file : files) {
        const fs::path source = find_kernel_file(fmt::format("ops/{}/{}", kTemplate, file));
        const fs::path target = fs::path(name) / replaced(file, kTemplate, name);
        write(target, renamed(text_of(source), name));
        console.out << target.string() << '\n';
    }
    write(name + ".yaml", fmt::format(fmt::runtime(kRunFile), name));
    console.out << name << ".yaml\n\ntessera run " << name << ".yaml\n";
    return ExitCode::Success;
}

}  // namespace

Command add_new(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("new", "Write a template of an op of your own");
    auto* op = command->add_subcommand("op", "Write a folder with an op and its run file");
    command->require_subcommand(1);
    auto name = std::make_shared<std::string>();
    op->add_option("NAME", *name, "Name of the op, its folder and its namespace")
        ->required()
        ->type_name("");
    op->footer(
        "NAME/NAME.hpp  contract, parameters      NAME/kernels/  arguments, reader, compute, "
        "writer\n"
        "NAME/NAME.cpp  rules, program, reference NAME.yaml      runs it and compares");
    return {command, [name, &console] { return make(*name, console); }};
}

}  // namespace tessera::cli
