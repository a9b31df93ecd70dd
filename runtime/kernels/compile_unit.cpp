// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/compile_unit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>

#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/kernel_roots.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

void add_processor_defines(Processor processor, Command& options) {
    switch (processor) {
        case Processor::Riscv0:
            options.emplace_back("-DCOMPILE_FOR_BRISC");
            return;
        case Processor::Riscv1:
            options.emplace_back("-DCOMPILE_FOR_NCRISC");
            return;
        case Processor::Compute:
            // One thread runs unpack, math and pack, so it defines all three of the chip's macros,
            // in both spellings of the vendor's build.
            options.insert(options.end(),
                           {"-DCOMPILE_FOR_TRISC", "-DTRISC_UNPACK", "-DTRISC_MATH", "-DTRISC_PACK",
                            "-DUCK_CHLKC_UNPACK", "-DUCK_CHLKC_MATH", "-DUCK_CHLKC_PACK"});
            return;
    }
}

std::string named_args_define(const NamedCompileArgs& args) {
    Command pairs;
    for (const auto& [name, value] : args) {
        pairs.push_back(fmt::format("{{\"{}\",{}}}", name, value));
    }
    return fmt::format("-DKERNEL_COMPILE_TIME_ARG_MAP={}", fmt::join(pairs, ","));
}

// Returns the text with the escapes of a string literal.
std::string escaped(const std::string& path) {
    std::string text;
    for (const char c : path) {
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        text += c;
    }
    return text;
}

// Call sites in headers beside a kernel have paths from the folder at which the kernel's path
// starts, as in built-in kernels, so that both give the same trace.
void add_folders(const std::string& path, const fs::path& file, Command& options) {
    const std::string absolute = fs::absolute(file).string();
    options.push_back("-iquote" + fs::path(absolute).parent_path().string());
    if (const auto root = absolute.rfind(path); root != absolute.npos && root != 0) {
        options.push_back("-ffile-prefix-map=" + absolute.substr(0, root) + "=");
    }
}

void add_defines(const KernelSource& source, Command& options) {
    add_processor_defines(source.processor, options);
    for (const auto& [name, value] : source.defines) {
        options.push_back(fmt::format("-D{}={}", name, value));
    }
}

void add_constants(const KernelSource& source, Command& options) {
    options.push_back(
        fmt::format("-DKERNEL_COMPILE_TIME_ARGS={}", fmt::join(source.compile_args, ",")));
    if (!source.named_compile_args.empty()) {
        options.push_back(named_args_define(source.named_compile_args));
    }
}

/// Returns the options of every kernel.
std::vector<std::string> options_of_all(const KernelToolchain& toolchain) {
    std::vector<std::string> options = toolchain.flags;
    options.insert(options.end(),
                   {"-w", "-fno-caret-diagnostics", "-ferror-limit=0",
                    // First: include_dir has host headers of the same names in tt-metalium/.
                    "-I" + toolchain.package.metalium_dir.string(),
                    "-I" + toolchain.package.include_dir.string(),
                    // For "ops/shared/kernels/…" in kernels outside of the tree.
                    "-I" + toolchain.package.share_dir.string(), "-include", toolchain.umbrella});
    return options;
}

}  // namespace

std::string CompileUnit::recipe() const {
    return fmt::format("{}\n{}\n{}", fmt::join(options, "\n"), prologue, text);
}

CompileUnit compile_unit_of(const KernelSource& source, const KernelToolchain& toolchain,
                            CompileArgs args) {
    CompileUnit unit{source.path, source.text, "", options_of_all(toolchain)};
    add_defines(source, unit.options);
    if (args != CompileArgs::Read) {
        unit.prologue = source.prologue;
        add_constants(source, unit.options);
    }
    if (args == CompileArgs::ConstantsBehindReads) {
        unit.options.emplace_back("-DTESSERA_ARGS_CANNOT_BE_READ");
    }
    const std::vector<fs::path> roots = kernel_roots(source.include_folders);
    if (source.text.empty()) {
        const fs::path file = find_kernel_file(source.path, roots);
        const auto text = read_file(file);
        require(text.has_value(), "cannot read kernel {}", file.string());
        unit.text = *text;
        add_folders(source.path, file, unit.options);
        // A file in place of a built-in kernel may lack that kernel's headers.
        const fs::path built_in = toolchain.package.share_dir / source.path;
        if (built_in != file && fs::is_regular_file(built_in)) {
            add_folders(source.path, built_in, unit.options);
        }
    }
    const auto replaced = source.defines.find(kReplacedKernel);
    if (replaced != source.defines.end()) {
        // After the kernel's own folder: if both have a header, the user's is taken.
        add_folders(replaced->second, find_kernel_file(replaced->second, roots), unit.options);
    }
    // Roots come last, since one may hold a whole source tree.
    for (const fs::path& root : roots) {
        unit.options.push_back("-I" + root.string());
        unit.roots.push_back(root.string());
    }
    unit.text.insert(0, fmt::format("#line 1 \"{}\"\n", escaped(source.path)));
    return unit;
}

namespace {

/// Returns whether the words from `at` on can be a sharded tensor's accessor in TensorAccessor's
/// form: flags, aligned page size, rank, banks, two shapes, coordinates two a word.
bool may_be_sharded_accessor(std::span<const std::uint32_t> words) {
    constexpr std::size_t kHead = 4;
    constexpr std::uint32_t kFlags = 3;
    constexpr std::uint32_t kLeastAlignment = 16;
    if (words.size() < kHead || (words[0] & 1U) == 0 || words[0] > kFlags || words[1] == 0 ||
        words[1] % kLeastAlignment != 0) {
        return false;
    }
    const std::uint64_t shapes = 2 * std::uint64_t{words[2]};
    const std::uint64_t banks = words[3];
    return shapes > 0 && banks > 0 && kHead + shapes + (banks + 1) / 2 <= words.size() &&
           std::ranges::count(words.subspan(kHead, shapes), 0U) == 0;
}

/// Returns whether a statement uses a compile-time argument or a property of a CB.
bool asks_the_program(std::string_view statement) {
    constexpr std::array<std::string_view, 6> kQuestions{
        "compile_time_arg_val", "get_tile_size",  "get_tile_hw",
        "get_tile_num_faces",   "get_dataformat", "unpack_src_format"};
    return std::ranges::any_of(kQuestions, [&](std::string_view question) {
        return statement.find(question) != statement.npos;
    });
}

}  // namespace

bool needs_constants(const CompileUnit& unit, const std::vector<std::uint32_t>& compile_args) {
    for (std::size_t at = 0; at < compile_args.size(); ++at) {
        if (may_be_sharded_accessor(std::span(compile_args).subspan(at))) {
            return true;
        }
    }
    constexpr std::string_view kWord = "constexpr";
    const std::string_view text = unit.text;
    for (std::size_t at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
        const std::size_t end = text.find_first_of(";{", at);
        if (asks_the_program(text.substr(at, end - at))) {
            return true;
        }
    }
    return false;
}

}  // namespace tessera
