// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <initializer_list>
#include <sstream>
#include <utility>
#include <vector>

#include "runtime/kernels/child_process.hpp"
#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/dependency_list.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// A file on its way; removed unless it was moved into the cache.
class Draft {
public:
    Draft(const ArtifactCache& cache, std::string_view extension, std::string_view text = "")
        : path_(cache.fresh_path(extension)) {
        std::ofstream(path_) << text;
    }
    ~Draft() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }
    [[nodiscard]] std::string name() const { return path_.string(); }

private:
    fs::path path_;
};

// The lines that say what is wrong, the first few of them.
std::string first_errors(const std::string& output) {
    constexpr int kMaxErrors = 3;
    std::istringstream lines(output);
    std::string errors;
    int count = 0;
    for (std::string line; count < kMaxErrors && std::getline(lines, line);) {
        if (line.find("error: ") != std::string::npos) {
            errors += "\n  " + line;
            ++count;
        }
    }
    return errors.empty() ? "\n" + output : errors;
}

std::vector<fs::path> dependencies_of(const Draft& rule, std::initializer_list<const Draft*> made) {
    std::vector<fs::path> paths = dependencies_in(read_file(rule.path()).value_or(""));
    for (const Draft* draft : made) {
        std::erase(paths, draft->path());
    }
    return paths;
}

// Without the table of frames, faults that the machine throws could not pass through a kernel.
Command link_flags() {
    return {"-shared", "--eh-frame-hdr"};
}

void append(Command& command, const Command& words) {
    command.insert(command.end(), words.begin(), words.end());
}

}  // namespace

KernelCompiler::KernelCompiler(KernelToolchain toolchain, const fs::path& cache_folder)
    : toolchain_(std::move(toolchain)),
      cache_(cache_folder),
      identity_(fmt::format("{}\n{}", toolchain_.identity(), fmt::join(link_flags(), "\n"))) {
}

void KernelCompiler::run(const Command& command, const std::string& subject) const {
    const ProcessOutcome outcome = run_process(command, cache_.fresh_path(".log"));
    require(outcome.exit_code == 0, "{}:{}", subject, first_errors(outcome.output));
}

fs::path KernelCompiler::precompiled_headers() const {
    Command command{toolchain_.compiler.string()};
    append(command, toolchain_.flags);
    append(command, {"-x", "c++-header", "-fpch-validate-input-files-content",
                     (toolchain_.include_dir / "tessera/kernel/standard_headers.hpp").string()});
    const std::string recipe = fmt::format("{}\n{}", identity_, fmt::join(command, "\n"));
    if (const auto found = cache_.find(recipe)) {
        return *found;
    }
    const Draft made(cache_, ".pch");
    const Draft rule(cache_, ".d");
    append(command, {"-MD", "-MF", rule.name(), "-o", made.name()});
    run(command, "the standard headers of kernels do not compile");
    return cache_.store(recipe, made.path(), dependencies_of(rule, {}));
}

fs::path KernelCompiler::build(const CompileUnit& unit, const std::string& recipe) const {
    const Draft prologue(cache_, ".hpp", unit.prologue);
    const Draft text(cache_, ".cpp", unit.text);
    const Draft rule(cache_, ".d");
    const Draft object(cache_, ".o");
    const std::string pass = toolchain_.pass.string();
    Command compile{
        toolchain_.compiler.string(),         "-include-pch", precompiled_headers().string(),
        "-fpch-validate-input-files-content", "-include",     prologue.name()};
    append(compile, unit.options);
    append(compile, {"-Xclang", "-load", "-Xclang", pass, "-fpass-plugin=" + pass, "-MD", "-MF",
                     rule.name(), "-c", text.name(), "-o", object.name()});
    run(compile, fmt::format("kernel {} does not compile", unit.path));

    const Draft made(cache_, ".so");
    Command link{toolchain_.linker.string()};
    append(link, link_flags());
    append(link, {"-o", made.name(), object.name()});
    run(link, fmt::format("kernel {} does not link", unit.path));
    return cache_.store(recipe, made.path(), dependencies_of(rule, {&text, &prologue}));
}

fs::path KernelCompiler::shared_object(const CompileUnit& unit) const {
    const std::string recipe = identity_ + '\n' + unit.recipe();
    const auto found = cache_.find(recipe);
    return found ? *found : build(unit, recipe);
}

}  // namespace tessera
