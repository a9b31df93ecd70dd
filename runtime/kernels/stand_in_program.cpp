// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/stand_in_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>

#include "runtime/kernels/kernel_census.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// The longest lists of the vendor's kernels fit.
constexpr std::uint32_t kNumArguments = 256;
constexpr std::uint32_t kNumBuffers = 64;
constexpr std::uint32_t kNumSmallNumbers = 15;

/// Name of the define whose value all arguments get.
constexpr const char* kStandInArgument = "TESSERA_STAND_IN_ARGUMENT";

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
    return formats + "\n" + tiles +
           "\nconstexpr bool DST_ACCUM_MODE = false;\n#define NOC_INDEX 0\n";
}

/// End of words that programs of the vendor define as names of the API, with values.
struct KnownWord {
    const char* end;
    const char* value;
    const char* other;  ///< of kernels that assert it; null: as any word
};
constexpr std::array<KnownWord, 12> kKnownWords{{
    {"REDUCE_OP", "ckernel::PoolType::SUM", "ckernel::PoolType::MAX"},
    {"REDUCE_DIM", "ckernel::ReduceDim::REDUCE_ROW", "ckernel::ReduceDim::REDUCE_COL"},
    {"BCAST_DIM", "BroadcastType::ROW", nullptr},
    {"BCAST_LLKOP", "EltwiseBinaryType::ELWADD", nullptr},
    {"BCAST_OP", "add_tiles_bcast", nullptr},
    {"BROADCAST_TYPE", "BroadcastType::ROW", nullptr},
    {"BINARY_OP_TYPE", "EltwiseBinaryType::ELWADD", nullptr},
    {"BINARY_OP", "add_tiles", nullptr},
    {"ELTWISE_OP_TYPE", "EltwiseBinaryType::ELWADD", nullptr},
    {"DATA_FORMAT", "DataFormat::Int32", nullptr},
    {"DATA_FMT", "DataFormat::Int32", nullptr},
    {"ELEM_UINT", "uint16_t", nullptr},
}};
enum class KnownValue : std::uint8_t { First, Other };

enum class StandIn : std::uint8_t { Number, Flag, Nothing, Call, List, Type };

// Returns declarations of all names of a program's arguments and resources that a kernel mentions,
// such as args::count. Each gets a small number of its own, or all get that of kStandInArgument.
std::string stand_in_resources(const std::string& text, const Defines& defines) {
    const auto argument = defines.find(kStandInArgument);
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
        const std::string number = space == "tensor" ? ""
                                   : space == "args" && argument != defines.end()
                                       ? argument->second
                                       : std::to_string(2 + 2 * (value++ % kNumSmallNumbers));
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
                       const std::vector<std::string>& words, StandIn kind,
                       KnownValue known_value) {
    for (const std::string& word : words) {
        if (is_resource_namespace(word)) {
            continue;
        }
        const auto* known = std::ranges::find_if(
            kKnownWords, [&](const KnownWord& row) { return word.ends_with(row.end); });
        const char* value = known == kKnownWords.end()         ? nullptr
                            : known_value == KnownValue::First ? known->value
                                                               : known->other;
        if (value != nullptr) {
            defines[word] = value;
        } else if (kind == StandIn::Call || text.find(word + "(") != text.npos) {
            defines[word + "(...)"] = "";
        } else {
            defines[word] = stand_in_text(kind);
        }
    }
    return defines;
}

bool is_known_word(const std::string& word) {
    return std::ranges::any_of(kKnownWords,
                               [&](const KnownWord& row) { return word.ends_with(row.end); });
}

// A definition may let the compiler reach further unknown words, which are then defined too.
bool compiles_with(const KernelSource& source, const std::string& text,
                   std::vector<std::string> words, StandIn kind, KnownValue known) {
    constexpr int kMostRounds = 4;
    for (int round = 0; round < kMostRounds; ++round) {
        KernelSource attempt = source;
        attempt.defines = with_stand_ins(source.defines, text, words, kind, known);
        if (std::ranges::any_of(words, is_resource_namespace)) {
            attempt.text = stand_in_resources(text, source.defines) +
                           fmt::format("#include \"{}\"\n", fs::absolute(source.path).string());
        }
        const CompileErrors errors = check_kernel(attempt);
        if (errors.empty()) {
            return true;
        }
        if (errors.defines.empty()) {
            return false;
        }
        words.insert(words.end(), errors.defines.begin(), errors.defines.end());
    }
    return false;
}

// Returns whether a kernel that misses nothing but words compiles when they are defined.
bool compiles_with_defines(const KernelSource& source, const std::string& text,
                           const std::vector<std::string>& words) {
    for (const KnownValue known : {KnownValue::First, KnownValue::Other}) {
        // Helpers of a kernel may paste the names of calls, so that its text has none of them.
        for (const StandIn kind : {StandIn::Number, StandIn::Flag, StandIn::Nothing, StandIn::Call,
                                   StandIn::List, StandIn::Type}) {
            if (compiles_with(source, text, words, kind, known)) {
                return true;
            }
            if (std::ranges::all_of(words, is_known_word)) {
                break;  // any kind gives the same definitions
            }
        }
        if (std::ranges::none_of(words, is_known_word)) {
            return false;
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
        source.defines[kStandInArgument] = std::to_string(program.argument);
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

// A kernel that declares names below `#if WORD` misses them when no program defines the word.
bool declares_all(const std::string& text, const std::vector<std::string>& names) {
    return !names.empty() && std::ranges::all_of(names, [&](const std::string& name) {
        const std::regex declaration(
            fmt::format(R"(\b(auto|bool|u?int\d*_t|float)\s+{}\s*[={{(;])",
                        std::regex_replace(name, std::regex(R"(\W)"), ".")));
        return std::regex_search(text, declaration);
    });
}

std::set<std::string> words_of_conditions(const std::string& text) {
    static const std::regex kCondition(
        R"(#\s*(?:if|ifdef|elif)\s+(?:defined\s*\(?\s*)?([A-Z]\w+))");
    std::set<std::string> words;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), kCondition);
         at != std::sregex_iterator(); ++at) {
        words.insert((*at)[1]);
    }
    return words;
}

/// Returns the word under whose `#if` the kernel declares what it misses, or an empty word.
std::string missing_condition(const KernelSource& source, const std::string& text,
                              const CompileErrors& errors) {
    if (!declares_all(text, errors.names)) {
        return "";
    }
    for (const std::string& word : words_of_conditions(text)) {
        KernelSource attempt = source;
        stand_in(kStandInPrograms.front(), attempt);
        if (attempt.defines.try_emplace(word, "1").second) {
            const CompileErrors found = errors_of(attempt, text);
            if (found.empty() || found.compiles_with_defines) {
                return word;
            }
        }
    }
    return "";
}

/// Compiles a kernel with one stand-in program after another until it compiles, and returns the
/// errors of that attempt. If none compiles, or if names are missing, returns those of the first.
CompileErrors errors_of_attempts(const KernelSource& source, const std::string& text) {
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

CompileErrors errors_with_stand_ins(const KernelSource& source, const std::string& text) {
    CompileErrors errors = errors_of_attempts(source, text);
    if (needs_of(errors) == KernelNeeds::Names) {
        const std::string word = missing_condition(source, text, errors);
        if (!word.empty()) {
            errors.names.clear();
            errors.defines.push_back(word);
            errors.compiles_with_defines = true;
        }
    }
    return errors;
}

}  // namespace tessera
