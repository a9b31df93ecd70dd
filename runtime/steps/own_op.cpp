// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/own_op.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <vector>

#include "ops/registry.hpp"
#include "runtime/kernels/artifact_cache.hpp"
#include "runtime/kernels/child_process.hpp"
#include "runtime/kernels/compiler_complaint.hpp"
#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/dependency_list.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;

/// Symbol of a compiled op: a function that returns its description.
constexpr const char* kEntry = "tessera_own_op";

/// Keywords of C++20, and names that the sources of an op use.
constexpr std::array kWordsOfCpp{
    std::to_array<std::string_view>({"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char8_t",     "char16_t",
                                     "char32_t",      "class",       "compl",
                                     "concept",       "const",       "consteval",
                                     "constexpr",     "constinit",   "const_cast",
                                     "continue",      "co_await",    "co_return",
                                     "co_yield",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq",      "config",
                                     "fmt",           "ops",         "std",
                                     "tessera"})};

std::vector<fs::path> sources_in(const fs::path& folder) {
    std::vector<fs::path> sources;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file() && entry.path().extension() == ".cpp") {
            sources.push_back(entry.path());
        }
    }
    // A directory lists files in the file system's order; the recipe's hash must not depend on it.
    std::ranges::sort(sources);
    return sources;
}

/// Folders with tessera/op headers: the source tree's, or those of an installed package.
std::vector<fs::path> include_folders(const KernelToolchain& toolchain) {
    for (const fs::path& folder : {toolchain.package.include_dir / "tessera" / "private",
                                   toolchain.package.include_dir.parent_path()}) {
        if (fs::is_regular_file(folder / "ops" / "op.hpp")) {
            return {toolchain.package.include_dir, folder};
        }
    }
    throw UsageError(fmt::format(
        "ops/op.hpp, which an op outside the source tree includes, is neither in {} nor in {}",
        (toolchain.package.include_dir / "tessera" / "private").string(),
        toolchain.package.include_dir.parent_path().string()));
}

/// Checks the structure of an op's folder, so that a missing file has a message of Tessera and not
/// of the compiler.
void check_folder(const fs::path& folder, const std::string& name) {
    require(fs::is_directory(folder), "{}: there is no such folder", folder.string());
    require(fs::is_regular_file(folder / (name + ".hpp")),
            "{}: an op's folder holds {}.hpp, which declares tessera::ops::{}::op()",
            folder.string(), name, name);
    require(!sources_in(folder).empty(), "{}: an op's folder holds C++ sources, found none",
            folder.string());
    require_op_name(folder.string(), name);
}

/// Returns the compiler's output with the user's folder in place of the link to it. So an error
/// names a file that the user can open.
std::string with_own_paths(std::string output, const fs::path& drafts, const fs::path& folder) {
    const std::string link = drafts / "ops" / folder.filename();
    for (std::size_t at = output.find(link); at != std::string::npos;
         at = output.find(link, at + folder.string().size())) {
        output.replace(at, link.size(), folder.string());
    }
    return output;
}

/// Returns the first errors of a compiler; all output if it has none, as of a killed compiler.
std::string complaint_in(const std::string& output) {
    const std::string errors = first_errors(output);
    return errors.empty() ? "\n" + output : errors;
}

/// Returns the files that the object depends on, without the generated ones. Files of the op appear
/// under the user's folder: the link that the compiler saw is gone when the cache is asked again.
std::vector<fs::path> dependencies_of(const fs::path& rule_folder, const fs::path& folder,
                                      const std::string& name) {
    std::vector<fs::path> found;
    const fs::path linked = rule_folder / "ops" / name;
    for (const auto& entry : fs::directory_iterator(rule_folder)) {
        if (entry.path().extension() != ".d") {
            continue;
        }
        for (const fs::path& path : dependencies_in(read_file(entry.path()).value_or(""))) {
            const std::string text = path.string();
            if (text.starts_with(linked.string() + "/")) {
                found.push_back(folder / text.substr(linked.string().size() + 1));
            } else if (!text.starts_with(rule_folder.string() + "/")) {
                found.push_back(path);
            }
        }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// Returns everything that the shared object depends on except included files, which the cache
/// checks by their contents. "own op 2" is the version of this recipe.
std::string recipe_of(const fs::path& folder, const KernelToolchain& toolchain) {
    std::string recipe =
        fmt::format("own op 2\n{}\n{}\n{}", folder.string(), toolchain.compiler_identity(),
                    include_folders(toolchain).back().string());
    for (const fs::path& source : sources_in(folder)) {
        recipe += "\n" + source.string();
    }
    return recipe;
}

/// Returns the sources to compile. The generated entry includes the source that is named as the op:
/// most ops have no other source, and reading the headers once saves a third of the time. A link
/// makes "ops/NAME/…" a valid include path, as for an op in the source tree.
std::vector<fs::path> draft_sources(const fs::path& drafts, const fs::path& folder,
                                    const std::string& name) {
    fs::create_directory(drafts / "ops");
    fs::create_directory_symlink(folder, drafts / "ops" / name);
    const fs::path entry = drafts / "entry.cpp";
    const bool has_main = fs::is_regular_file(folder / (name + ".cpp"));
    std::ofstream(entry) << fmt::format(
        "#include \"ops/{0}/{0}.{2}\"\n#include \"ops/{0}/{0}.hpp\"\n"
        "extern \"C\" const tessera::ops::Op* {1}() {{ return &tessera::ops::{0}::op(); }}\n",
        name, kEntry, has_main ? "cpp" : "hpp");
    std::vector<fs::path> sources{entry};
    for (const fs::path& source : sources_in(folder)) {
        if (source.filename() != name + ".cpp") {
            sources.push_back(drafts / "ops" / name / source.filename());
        }
    }
    return sources;
}

/// Compiles a source to DRAFTS/NUMBER.o, and lists what it includes in DRAFTS/NUMBER.d.
std::string compile(const KernelToolchain& toolchain, const fs::path& drafts, std::size_t number,
                    const fs::path& source, const fs::path& folder) {
    std::string object = drafts / fmt::format("{}.o", number);
    std::vector<std::string> command{toolchain.compiler.string(), "-std=c++20", "-O2",
                                     // Line tables only, which keep the object small.
                                     "-g1", "-fPIC", "-MD", "-MF",
                                     drafts / fmt::format("{}.d", number), "-I" + drafts.string()};
    for (const fs::path& include : include_folders(toolchain)) {
        command.push_back("-I" + include.string());
    }
    command.insert(command.end(), {"-c", source.string(), "-o", object});
    const ProcessOutcome outcome =
        run_process(command, fmt::format("op {} does not compile", folder.string()));
    require(outcome.exit_code == 0, "op {} does not compile:{}", folder.string(),
            complaint_in(with_own_paths(outcome.output, drafts, folder)));
    return object;
}

void build(const KernelToolchain& toolchain, const fs::path& drafts, const fs::path& folder,
           const std::string& name) {
    // Symbols of Tessera are left undefined: the program that loads the object provides them.
    std::vector<std::string> link{toolchain.compiler.string(), "-shared", "-o", drafts / "op.so"};
    const std::vector<fs::path> sources = draft_sources(drafts, folder, name);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        link.push_back(compile(toolchain, drafts, i, sources[i], folder));
    }
    const ProcessOutcome outcome =
        run_process(link, fmt::format("op {} does not link", folder.string()));
    require(outcome.exit_code == 0, "op {} does not link:{}", folder.string(),
            complaint_in(outcome.output));
}

/// Returns the shared object: from the cache if nothing that it depends on has changed.
fs::path shared_object(const fs::path& folder, const std::string& name) {
    const ArtifactCache cache(default_cache_folder());
    // The cache of kernels, since it has the same rules: artifacts are known by their recipe and by
    // the hashes of included files.
    const char* path = std::getenv("PATH");
    const KernelToolchain toolchain = find_kernel_toolchain(path == nullptr ? "" : path);
    const std::string recipe = recipe_of(folder, toolchain);
    if (const auto found = cache.find(recipe)) {
        return *found;
    }
    toolchain.require_complete();
    const DraftFolder drafts(cache);
    build(toolchain, drafts.path(), folder, name);
    return cache.store(recipe, drafts.path() / "op.so",
                       dependencies_of(drafts.path(), folder, name));
}

/// Exit codes of the rehearsal's process. With any other status, code of the op ended the process.
enum Rehearsed : std::uint8_t { kLoads = 41, kThrows = 42 };

// dlopen runs the initialisers of an op's variables, which are code of the op's author. In a child
// process an initialiser that throws, exits or hangs is reported instead of ending Tessera.
[[noreturn]] void load_and_end(const fs::path& object) {
    constexpr unsigned kMostSeconds = 10;
    // The child inherits Tessera's handlers, which would report a fault of Tessera.
    for (const int signal : {SIGABRT, SIGALRM, SIGXCPU}) {
        std::signal(signal, SIG_DFL);
    }
    // The dynamic linker lets no exception of an initialiser pass.
    std::set_terminate([] {
        if (std::current_exception() != nullptr) {
            _exit(kThrows);
        }
        std::abort();
    });
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    // Far above what an initialiser needs, and short enough for a user to wait.
    alarm(kMostSeconds);
    try {
        void* const handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* const entry = handle == nullptr ? nullptr : dlsym(handle, kEntry);
        if (entry != nullptr) {
            (void)reinterpret_cast<const ops::Op* (*)()>(entry)();
        }
    } catch (...) {
        _exit(kThrows);
    }
    // Not exit(): handlers registered by the parent must not run twice.
    _exit(kLoads);
}

std::string end_of_rehearsal(int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        return "does not end within 10 s";
    }
    if (WIFSIGNALED(status)) {
        return fmt::format("ends the process by signal {} ({})", WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    }
    if (WEXITSTATUS(status) == kThrows) {
        return "throws an exception";
    }
    return fmt::format("ends the process with exit code {}", WEXITSTATUS(status));
}

/// Loads the op in a child process first and refuses it if an initialiser ends the process or does
/// not return.
void rehearse_loading(const fs::path& object, const fs::path& folder) {
    const pid_t child = fork();
    require(child != -1, "op {} cannot be loaded: {}", folder.string(), std::strerror(errno));
    if (child == 0) {
        load_and_end(object);
    }
    // A signal may interrupt the wait.
    int status = 0;
    while (waitpid(child, &status, 0) == -1) {
        ensure(errno == EINTR, "waiting for process {} failed: {}", child, std::strerror(errno));
    }
    require(WIFEXITED(status) && WEXITSTATUS(status) == kLoads,
            "op {} cannot be loaded: the initialiser of one of its variables {}", folder.string(),
            end_of_rehearsal(status));
}

}  // namespace

// The name becomes a C++ namespace and part of include paths.
void require_op_name(const std::string& subject, const std::string& name) {
    const auto is_lower = [](char letter) { return letter >= 'a' && letter <= 'z'; };
    const bool is_name =
        !name.empty() && is_lower(name.front()) && std::ranges::all_of(name, [&](char letter) {
            return is_lower(letter) || (letter >= '0' && letter <= '9') || letter == '_';
        });
    require(is_name, "{}: invalid op name '{}'; allowed: a to z first, then a to z, 0 to 9 and _",
            subject, name);
    require(
        std::ranges::find(kWordsOfCpp, name) == kWordsOfCpp.end(),
        "{}: invalid op name '{}', which C++ or Tessera's sources use; allowed: a name that can "
        "be a namespace in tessera::ops",
        subject, name);
}

std::shared_ptr<const ops::Op> load_own_op(const fs::path& folder) {
    // Without a trailing slash, so that the last part is the op's name.
    const fs::path whole = fs::absolute(folder).lexically_normal();
    const fs::path trimmed = whole.filename().empty() ? whole.parent_path() : whole;
    const std::string name = trimmed.filename().string();
    check_folder(trimmed, name);
    const fs::path object = shared_object(trimmed, name);
    rehearse_loading(object, trimmed);
    void* const handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* const problem = handle == nullptr ? dlerror() : nullptr;
    require(handle != nullptr, "op {} cannot be loaded: {}", trimmed.string(),
            problem == nullptr ? "" : problem);
    const auto entry = reinterpret_cast<const ops::Op* (*)()>(dlsym(handle, kEntry));
    require(entry != nullptr, "op {} cannot be loaded: it has no {}", trimmed.string(), kEntry);
    // A copy: the object's own description is constant and has no folder.
    auto op = std::make_shared<ops::Op>(*entry());
    // Kernel paths ("ops/NAME/kernels/…") and includes are built from the folder's name.
    require(op->spec.name == name, "op {}: spec.name is {}; allowed: {}, the folder's name",
            trimmed.string(), op->spec.name, name);
    op->folder = trimmed.string();
    return op;
}

}  // namespace tessera::pipeline
