// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "emu/base/seconds_since.hpp"
#include "runtime/kernels/child_process.hpp"
#include "runtime/kernels/chip_spelling.hpp"
#include "runtime/kernels/compile_errors.hpp"
#include "runtime/kernels/compiler_complaint.hpp"
#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/dependency_list.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Recipe without a file: under it the cache keeps the identity of the compiler that filled it.
constexpr std::string_view kLastCompiler = "compiler";

std::vector<fs::path> dependencies_of(const std::string& rule, const DraftFolder& drafts) {
    std::vector<fs::path> paths = dependencies_in(read_file(rule).value_or(""));
    std::erase_if(paths, [&](const fs::path& path) { return path.parent_path() == drafts.path(); });
    return paths;
}

// Exceptions of the machine pass through a kernel's frames and need its unwind tables.
Command link_flags() {
    return {"-shared", "--eh-frame-hdr"};
}

constexpr const char* kKernelText = "kernel.cpp";

// A kernel may be checked several times with one folder.
std::string write_new(const DraftFolder& drafts, const std::string& text) {
    std::size_t number = 0;
    while (fs::exists(drafts.file(fmt::format("respelled_{}.cpp", number)))) {
        ++number;
    }
    return drafts.write(fmt::format("respelled_{}.cpp", number), text);
}

void append(Command& command, const Command& words) {
    command.insert(command.end(), words.begin(), words.end());
}

// Without a compiler, objects of the compiler that filled the cache are still valid.
std::string remembered_compiler(const ArtifactCache& cache) {
    const auto found = cache.find(kLastCompiler);
    return found ? read_file(*found).value_or("") : "";
}

void remember_compiler(const ArtifactCache& cache, const std::string& identity) {
    if (remembered_compiler(cache) != identity) {
        const DraftFolder drafts(cache);
        cache.store(kLastCompiler, drafts.write("compiler.txt", identity), {});
    }
}

}  // namespace

KernelCompiler::KernelCompiler(KernelToolchain toolchain, const fs::path& cache_folder)
    : toolchain_(std::move(toolchain)), cache_(cache_folder) {
    const std::string compiler = toolchain_.compiler_identity();
    identity_ = fmt::format("{}\n{}\n{}", compiler.empty() ? remembered_compiler(cache_) : compiler,
                            file_hash(toolchain_.package.pass).value_or("?"),
                            fmt::join(link_flags(), "\n"));
}

void KernelCompiler::run(const Command& command, const std::string& subject) const {
    log::debug(log::Area::Jit, "{}", fmt::join(command, " "));
    const ProcessOutcome outcome = run_process(command, subject);
    require(outcome.exit_code == 0, "{}:{}", subject, complaint_of(command[0], outcome));
}

void KernelCompiler::compile_kernel(const Command& command, const CompileUnit& unit,
                                    const DraftFolder& drafts) const {
    const std::string subject = fmt::format("kernel {} does not compile", unit.path);
    const ProcessOutcome outcome = run_compiler(command, unit, drafts, subject);
    if (outcome.exit_code != 0) {
        throw UsageError(fmt::format("{}:{}{}{}", subject, complaint_of(command[0], outcome),
                                     what_is_missing(outcome.output, unit),
                                     missing_arguments(outcome.output, unit)));
    }
}

// Most kernels compile as they are, so that files in the host's spelling are made after an error.
ProcessOutcome KernelCompiler::run_compiler(Command command, const CompileUnit& unit,
                                            const DraftFolder& drafts,
                                            const std::string& subject) const {
    log::debug(log::Area::Jit, "{}", fmt::join(command, " "));
    ProcessOutcome outcome = run_process(command, subject);
    const auto files =
        outcome.exit_code == 0 ? std::vector<std::string>{} : files_to_respell(outcome.output);
    if (files.empty()) {
        return outcome;
    }
    FileOverlay overlay;
    bool is_changed = false;
    for (const std::string& file : files) {
        const bool is_kernel = file == unit.path;
        const auto text = is_kernel ? std::optional(unit.text) : read_file(file);
        const std::string respelled = host_spelling(text.value_or(""));
        if (!text || respelled == *text) {
            continue;
        }
        is_changed = true;
        if (is_kernel) {
            std::ranges::replace(command, drafts.file(kKernelText), write_new(drafts, respelled));
        } else {
            overlay.replace(fs::absolute(file).lexically_normal(), write_new(drafts, respelled));
        }
    }
    if (!is_changed) {
        return outcome;
    }
    command.insert(command.begin() + 1, {"-ivfsoverlay", write_new(drafts, overlay.text())});
    log::debug(log::Area::Jit, "{}", fmt::join(command, " "));
    return run_process(command, subject);
}

fs::path KernelCompiler::precompiled_headers() const {
    Command command{toolchain_.compiler.string()};
    append(command, toolchain_.flags);
    append(command,
           {"-x", "c++-header", "-fpch-validate-input-files-content",
            (toolchain_.package.include_dir / "tessera/kernel/standard_headers.hpp").string()});
    const std::string recipe = fmt::format("{}\n{}", identity_, fmt::join(command, "\n"));
    const auto lock = lock_of(recipe);
    const auto found = cache_.find(recipe);
    return found ? *found : build_headers(recipe, std::move(command));
}

fs::path KernelCompiler::build_headers(const std::string& recipe, Command command) const {
    const DraftFolder drafts(cache_);
    const std::string made = drafts.file("headers.pch");
    const std::string rule = drafts.file("headers.d");
    append(command, {"-MD", "-MF", rule, "-o", made});
    run(command, "the standard headers of kernels do not compile");
    return cache_.store(recipe, made, dependencies_of(rule, drafts));
}

namespace {

// So deep that names of headers that begin with ../ stay in the drafts.
constexpr const char* kStandIns = "include/1/2/3/4/5/6/7/8";

// An empty header in `drafts`. A name that leads out of them is left out: the next attempt misses
// it again.
void make_stand_in(const fs::path& drafts, const std::string& header) {
    fs::create_directories(drafts / kStandIns);  // ../ needs the folders that it leaves
    const fs::path file = (drafts / kStandIns / header).lexically_normal();
    if (file.string().starts_with((drafts / "include").string())) {
        std::error_code error;
        fs::create_directories(file.parent_path(), error);
        std::ofstream(file) << "#pragma once\n";
    }
}

/// Adds to `all` what it lacks of `found`. Returns that.
std::vector<std::string> add_new(const std::vector<std::string>& found,
                                 std::vector<std::string>& all) {
    std::vector<std::string> added;
    for (const std::string& name : found) {
        if (std::ranges::find(all, name) == all.end()) {
            all.push_back(name);
            added.push_back(name);
        }
    }
    return added;
}

}  // namespace

Command KernelCompiler::pass_options() const {
    const std::string pass = toolchain_.package.pass.string();
    return {"-Xclang", "-load", "-Xclang", pass, "-fpass-plugin=" + pass};
}

fs::path KernelCompiler::build(const CompileUnit& unit, const std::string& recipe) const {
    toolchain_.require_complete();
    const DraftFolder drafts(cache_);
    const std::string prologue = drafts.write("prologue.hpp", unit.prologue);
    const std::string text = drafts.write(kKernelText, unit.text);
    const std::string rule = drafts.file("kernel.d");
    const std::string object = drafts.file("kernel.o");
    Command compile{
        toolchain_.compiler.string(),         "-include-pch", precompiled_headers().string(),
        "-fpch-validate-input-files-content", "-include",     prologue};
    append(compile, unit.options);
    // The name of an object is the hash of its bytes, so the draft's path must not be in its line
    // table.
    append(compile, pass_options());
    append(compile, {"-fdebug-prefix-map=" + drafts.path().string() + "=.", "-MD", "-MF", rule,
                     "-c", text, "-o", object});
    compile_kernel(compile, unit, drafts);

    const std::string made = drafts.file("kernel.so");
    Command link{toolchain_.linker.string()};
    append(link, link_flags());
    append(link, {"-o", made, object});
    run(link, fmt::format("kernel {} does not link", unit.path));
    remember_compiler(cache_, toolchain_.compiler_identity());
    return cache_.store(recipe, made, dependencies_of(rule, drafts));
}

std::string KernelCompiler::recipe_of(const CompileUnit& unit) const {
    return identity_ + '\n' + unit.recipe();
}

std::unique_lock<std::mutex> KernelCompiler::lock_of(const std::string& recipe) const {
    std::mutex* of_recipe = nullptr;
    {
        const std::lock_guard lock(mutex_);
        of_recipe = &recipes_[recipe];
    }
    return std::unique_lock(*of_recipe);
}

bool KernelCompiler::is_cached(const CompileUnit& unit) const {
    return cache_.find(recipe_of(unit)).has_value();
}

fs::path KernelCompiler::shared_object(const CompileUnit& unit) const {
    const std::string recipe = recipe_of(unit);
    // Kernels of a launch that differ in their arguments have one object, which one thread makes.
    const auto lock = lock_of(recipe);
    if (const auto found = cache_.find(recipe)) {
        log::info(log::Area::Jit, "{}: cached as {}", unit.path, found->string());
        return *found;
    }
    const auto start = std::chrono::steady_clock::now();
    fs::path made = build(unit, recipe);
    log::info(log::Area::Jit, "{}: compiled in {:.3f} s to {}", unit.path, seconds_since(start),
              made.string());
    return made;
}

Command KernelCompiler::check_command(const CompileUnit& unit, const DraftFolder& drafts) const {
    Command command{toolchain_.compiler.string(),
                    "-include-pch",
                    precompiled_headers().string(),
                    "-fpch-validate-input-files-content",
                    "-include",
                    drafts.write("prologue.hpp", unit.prologue)};
    append(command, unit.options);
    // Only warnings of instructions.hpp are wanted.
    std::erase(command, "-w");
    append(command,
           {"-Wno-everything", "-W#pragma-messages", "-DTESSERA_KERNEL_CHECK",
            "-I" + (drafts.path() / kStandIns).string(), drafts.write(kKernelText, unit.text)});
    return command;
}

// The address step refuses valid C++ that is not a kernel: a file without kernel_main(), or assembly
// of another processor. It comes before optimisation; the precompiled headers exclude -O0.
CompileErrors KernelCompiler::errors_of_address_step(Command command, const CompileUnit& unit,
                                                     const DraftFolder& drafts,
                                                     const std::string& subject) const {
    append(command, pass_options());
    append(command, {"-O1", "-S", "-emit-llvm", "-o", "/dev/null"});
    return compile_errors(run_compiler(std::move(command), unit, drafts, subject).output);
}

CompileErrors KernelCompiler::errors_of(const CompileUnit& unit) const {
    toolchain_.require_complete();
    const DraftFolder drafts(cache_);
    const Command command = check_command(unit, drafts);
    Command syntax = command;
    syntax.emplace_back("-fsyntax-only");
    const std::string subject = fmt::format("kernel {} cannot be checked", unit.path);
    CompileErrors all;
    constexpr int kMostHeaders = 64;
    for (int attempt = 0; attempt < kMostHeaders; ++attempt) {
        CompileErrors found = compile_errors(run_compiler(syntax, unit, drafts, subject).output);
        std::vector<std::string> missing = add_new(found.vendor_headers, all.vendor_headers);
        std::ranges::copy(add_new(found.user_headers, all.user_headers),
                          std::back_inserter(missing));
        if (missing.empty()) {
            if (found.empty() && all.empty()) {
                found = errors_of_address_step(command, unit, drafts, subject);
            }
            found.vendor_headers = std::move(all.vendor_headers);
            found.user_headers = std::move(all.user_headers);
            return found;
        }
        for (const std::string& header : missing) {
            make_stand_in(drafts.path(), header);
        }
    }
    return all;
}

}  // namespace tessera
