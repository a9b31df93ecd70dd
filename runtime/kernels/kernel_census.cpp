// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <regex>
#include <set>
#include <string_view>
#include <thread>

#include "runtime/kernels/chip_defines.hpp"
#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/jit.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// As many as the longest list of arguments of the vendor's kernels needs.
constexpr std::uint32_t kNumArguments = 256;
constexpr std::uint32_t kNumBuffers = 64;
constexpr std::uint32_t kNumSmallNumbers = 15;

// Even, so that none stands for a sharded accessor; small, because many are indices of CBs; not 0,
// because many divide.
std::vector<std::uint32_t> stand_in_arguments() {
    std::vector<std::uint32_t> arguments(kNumArguments);
    for (std::uint32_t i = 0; i < kNumArguments; ++i) {
        arguments[i] = 2 + 2 * (i % kNumSmallNumbers);
    }
    return arguments;
}

std::string stand_in_tables(DataFormat format) {
    std::string formats = "#define TESSERA_CB_FORMATS ";
    std::string tiles = "#define TESSERA_CB_TILES ";
    for (std::uint32_t i = 0; i < kNumBuffers; ++i) {
        formats += fmt::format("{}, ", static_cast<unsigned>(format));
        tiles += fmt::format("{}, ", Tile().code());
    }
    return formats + "\n" + tiles + "\nconstexpr bool DST_ACCUM_MODE = false;\n";
}

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
    const bool computes = file.parent_path().filename() == "compute" ||
                          std::ranges::any_of(kOfCompute, [&](std::string_view word) {
                              return text.find(word) != text.npos;
                          });
    if (computes) {
        return Processor::Compute;
    }
    const bool reads = file.filename().string().find("reader") != std::string::npos;
    return reads ? Processor::Riscv1 : Processor::Riscv0;
}

namespace {

// Ends of words that programs of the vendor define as names of the API, with a value.
constexpr std::array<std::array<const char*, 2>, 11> kStandInValues{{
    {"REDUCE_OP", "PoolType::SUM"},
    {"REDUCE_DIM", "ReduceDim::REDUCE_ROW"},
    {"BCAST_DIM", "BroadcastType::ROW"},
    {"BCAST_LLKOP", "EltwiseBinaryType::ELWADD"},
    {"BCAST_OP", "add_tiles_bcast"},
    {"BROADCAST_TYPE", "BroadcastType::ROW"},
    {"BINARY_OP_TYPE", "EltwiseBinaryType::ELWADD"},
    {"BINARY_OP", "add_tiles"},
    {"ELTWISE_OP_TYPE", "EltwiseBinaryType::ELWADD"},
    {"DATA_FORMAT", "DataFormat::Int32"},
    {"DATA_FMT", "DataFormat::Int32"},
}};

enum class StandIn : std::uint8_t { Number, Flag, Nothing, Call, List, Type };

// Returns declarations of all names of a program's arguments and resources that a kernel mentions,
// such as args::count, each with a small number.
std::string stand_in_resources(const std::string& text) {
    static const std::regex kName(R"(\b(args|dfb|sem|tensor)::(\w+))");
    std::set<std::pair<std::string, std::string>> names;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), kName);
         at != std::sregex_iterator(); ++at) {
        names.emplace((*at)[1], (*at)[2]);
    }
    std::string declarations =
        "#include \"tessera/kernel/dataflow/named_args.hpp\"\n"
        "#include \"api/dataflow/dataflow_buffer.h\"\n"
        "inline uint32_t get_vararg(uint32_t i) { return get_arg_val<uint32_t>(i); }\n"
        "inline uint32_t get_common_vararg(uint32_t i) { return get_common_arg_val<uint32_t>(i); "
        "}\n"
        "namespace args {}\nnamespace dfb {}\nnamespace sem {}\nnamespace tensor {}\n";
    std::uint32_t value = 0;
    for (const auto& [space, name] : names) {
        const char* type = space == "args"     ? "tessera_args::Constant"
                           : space == "tensor" ? "tensor_accessor::TensorAccessorBindingToken<0, 0>"
                                               : "uint16_t";
        const std::string number =
            space == "tensor" ? "" : std::to_string(2 + 2 * (value++ % kNumSmallNumbers));
        declarations +=
            fmt::format("namespace {} {{ constexpr {} {}{{{}}}; }}\n", space, type, name, number);
    }
    return declarations;
}

const char* stand_in_text(StandIn kind) {
    switch (kind) {
        case StandIn::Number:
            return "2";
        case StandIn::Flag:
            return "1";  // a template's bool does not take 2
        case StandIn::List:
            return "{1, 1}";
        case StandIn::Type:
            return "uint32_t";
        default:
            return "";
    }
}

// A word that the kernel calls is a statement that does nothing.
Defines with_stand_ins(Defines defines, const std::string& text,
                       const std::vector<std::string>& words, StandIn kind) {
    for (const std::string& word : words) {
        if (is_resource_namespace(word)) {
            continue;
        }
        const auto* known = std::ranges::find_if(
            kStandInValues, [&](const auto& row) { return word.ends_with(row[0]); });
        if (known != kStandInValues.end()) {
            defines[word] = (*known)[1];
        } else if (kind == StandIn::Call || text.find(word + "(") != text.npos) {
            defines[word + "(...)"] = "";
        } else {
            defines[word] = stand_in_text(kind);
        }
    }
    return defines;
}

// Returns whether a kernel that misses nothing but words compiles when they are defined. A
// definition may let the compiler reach further unknown words, which are then defined too.
bool compiles_with_defines(const KernelSource& source, const std::string& text,
                           const std::vector<std::string>& words) {
    // Helpers of a kernel may paste the names of calls, so that its text has none of them.
    for (const StandIn kind : {StandIn::Number, StandIn::Flag, StandIn::Nothing, StandIn::Call,
                               StandIn::List, StandIn::Type}) {
        std::vector<std::string> all = words;
        constexpr int kMostRounds = 4;
        for (int round = 0; round < kMostRounds; ++round) {
            KernelSource attempt = source;
            attempt.defines = with_stand_ins(source.defines, text, all, kind);
            if (std::ranges::any_of(all, is_resource_namespace)) {
                attempt.text = stand_in_resources(text) +
                               fmt::format("#include \"{}\"\n", fs::absolute(source.path).string());
            }
            const CompileErrors errors = check_kernel(attempt);
            if (errors.empty()) {
                return true;
            }
            if (errors.defines.empty()) {
                break;
            }
            all.insert(all.end(), errors.defines.begin(), errors.defines.end());
        }
    }
    return false;
}

/// Arguments and buffers that stand in for those of a program.
struct StandInProgram {
    std::uint32_t argument;  ///< each compile-time argument; 0: numbers that differ
    DataFormat format;       ///< of each circular buffer
};

// A kernel may assert what its arguments have to be, or take some of them for flags; these serve
// most kernels. The first one finds the most missing names.
constexpr std::array<StandInProgram, 7> kStandInPrograms{{
    {0, DataFormat::Float16_b},
    {1, DataFormat::Float16_b},
    {2, DataFormat::Float16_b},
    {4, DataFormat::Float16_b},
    {32, DataFormat::Float16_b},
    {64, DataFormat::Float16_b},
    {1, DataFormat::Int32},
}};

void stand_in(const StandInProgram& program, KernelSource& source) {
    source.compile_args = stand_in_arguments();
    source.prologue = stand_in_tables(program.format);
    if (program.argument != 0) {
        source.compile_args.assign(kNumArguments, program.argument);
        source.defines["TESSERA_STAND_IN_ARGUMENT"] = std::to_string(program.argument);
    }
}

CompileErrors errors_of(const KernelSource& source, const std::string& text) {
    CompileErrors errors = check_kernel(source);
    if (!errors.defines.empty() && errors.vendor_headers.empty() && errors.user_headers.empty()) {
        errors.compiles_with_defines = compiles_with_defines(source, text, errors.defines);
        if (errors.compiles_with_defines) {
            errors.names.clear();  // the program's words declare them
        }
    }
    return errors;
}

/// Compiles a kernel with one stand-in program after another until it compiles, and returns the
/// errors of that attempt. If none compiles, or if names are missing, returns those of the first.
CompileErrors errors_with_stand_ins(const KernelSource& source, const std::string& text) {
    CompileErrors first;
    for (const StandInProgram& program : kStandInPrograms) {
        KernelSource attempt = source;
        stand_in(program, attempt);
        CompileErrors errors = errors_of(attempt, text);
        if (needs_of(errors) != KernelNeeds::Other) {
            const bool is_first = &program == kStandInPrograms.data();
            const bool compiles = errors.empty() || errors.compiles_with_defines;
            return is_first || compiles ? errors : first;
        }
        if (&program == kStandInPrograms.data()) {
            first = std::move(errors);
        }
    }
    return first;
}

}  // namespace

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
