// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_census.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <regex>
#include <string_view>
#include <thread>

#include "runtime/kernels/chip_defines.hpp"
#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/jit.hpp"
#include "runtime/kernels/stand_in_program.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// A host program may have the text of a kernel in a string.
bool defines_kernel(const std::string& text) {
    static const std::regex kEntry(R"(void\s+(kernel_main\s*\(|MAIN\b))");
    static const std::regex kHost(R"(int\s+main\s*\(|CreateKernel|\bTEST(_F|_P)?\s*\()");
    return std::regex_search(text, kEntry) && !std::regex_search(text, kHost);
}

}  // namespace

KernelNeeds needs_of(const CompileErrors& errors) {
    if (errors.empty()) {
        return errors.instructions.empty() ? KernelNeeds::Nothing : KernelNeeds::Instructions;
    }
    if (errors.compiles_with_defines) {
        return KernelNeeds::Macros;
    }
    if (!errors.user_headers.empty()) {
        return KernelNeeds::Root;
    }
    if (!errors.vendor_headers.empty() || !errors.names.empty()) {
        return KernelNeeds::Names;
    }
    return KernelNeeds::Other;
}

std::vector<fs::path> kernels_at(const fs::path& place) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) {
        return {place};
    }
    require(fs::is_directory(place, error), "{}: no such file or folder", place.string());
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
        if (entry.path().extension() == ".cpp" && entry.is_regular_file() &&
            defines_kernel(read_file(entry.path()).value_or(""))) {
            files.push_back(entry.path());
        }
    }
    require(!files.empty(), "{}: no .cpp file in it defines kernel_main() or MAIN", place.string());
    std::ranges::sort(files);
    return files;
}

Processor guess_processor(const fs::path& file, const std::string& text) {
    constexpr std::array<std::string_view, 9> kOfCompute{
        "compute_kernel_api", "api/compute",     "void MAIN",
        "tile_regs_acquire",  "acquire_dst",     "copy_tile",
        "ckernel.h",          "kernel/compute/", "llk_"};
    const fs::path folder = file.parent_path().filename();
    // Data-movement kernels include llk_defs.h, too, for its enumerations.
    const bool computes =
        folder == "compute" ||
        (folder != "dataflow" && std::ranges::any_of(kOfCompute, [&](std::string_view word) {
             return text.find(word) != text.npos;
         }));
    if (computes) {
        return Processor::Compute;
    }
    const bool reads = file.filename().string().find("reader") != std::string::npos;
    return reads ? Processor::Riscv1 : Processor::Riscv0;
}

CheckedKernel check_kernel_file(const fs::path& file, const ArchSpec& arch,
                                const CensusOptions& options) {
    const auto text = read_file(file);
    require(text.has_value(), "cannot read kernel {}", file.string());
    CheckedKernel checked{.path = file.string(),
                          .processor = options.processor.value_or(guess_processor(file, *text)),
                          .errors = {}};
    Defines defines = options.defines;
    add_chip_defines(arch, defines);
    if (checked.processor == Processor::Compute) {
        add_compute_defines({}, defines);
    }
    const KernelSource source{.path = checked.path,
                              .text = "",
                              .processor = checked.processor,
                              .compile_args = {},
                              .named_compile_args = {},
                              .defines = defines,
                              .prologue = "",
                              .include_folders = {}};
    checked.errors = errors_with_stand_ins(source, *text);
    return checked;
}

std::vector<CheckedKernel> check_kernel_files(const std::vector<fs::path>& files,
                                              const ArchSpec& arch, const CensusOptions& options,
                                              std::uint32_t num_threads,
                                              const std::function<void(std::size_t)>& on_done) {
    std::vector<CheckedKernel> kernels(files.size());
    std::vector<std::exception_ptr> errors(files.size());
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::size_t num_done = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < files.size(); i = next++) {
            try {
                kernels[i] = check_kernel_file(files[i], arch, options);
            } catch (...) {
                errors[i] = std::current_exception();
            }
            const std::lock_guard lock(mutex);
            on_done(++num_done);
        }
    };
    {
        // Each waits for a compiler most of the time, so plain threads do.
        std::vector<std::jthread> threads(
            num_threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : num_threads);
        std::ranges::generate(threads, [&] { return std::jthread(work); });
    }
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
    return kernels;
}

}  // namespace tessera