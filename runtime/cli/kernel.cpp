// SPDX-License-Identifier: Apache-2.0
// tessera kernel: works with kernels that have no program. kernel_run.cpp runs them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/kernel_run.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/facade/device_model.hpp"
#include "runtime/kernels/api_names.hpp"
#include "runtime/kernels/kernel_census.hpp"
#include "runtime/kernels/package.hpp"
#include "runtime/report/text_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

struct KernelCheckOptions {
    std::vector<std::string> places;
    std::string device = "wormhole_n150";
    std::string processor;
    std::vector<std::string> defines;
    std::optional<std::string> threads;
    KernelOptions kernels;
    std::string tests;
    bool json = false;
    bool full = false;
    bool coverage = false;
};

struct NeedRow {
    KernelNeeds needs;
    const char* name;   ///< in JSON
    const char* about;  ///< in the table
};
constexpr std::array<NeedRow, 6> kNeeds{{
    {KernelNeeds::Nothing, "nothing", "compile"},
    {KernelNeeds::Instructions, "instructions",
     "compile; a run ends if it reaches an instruction of the chip"},
    {KernelNeeds::Macros, "defines", "compile when the program defines its words"},
    {KernelNeeds::Root, "include_path", "need an include path"},
    {KernelNeeds::Names, "names", "use names that Tessera does not have"},
    {KernelNeeds::Other, "other", "have other errors"},
}};

const NeedRow& row_of(KernelNeeds needs) {
    return kNeeds[static_cast<std::size_t>(needs)];
}

Processor processor_called(const std::string& name) {
    for (const Processor processor : {Processor::Riscv0, Processor::Riscv1, Processor::Compute}) {
        if (name == role_of(processor)) {
            return processor;
        }
    }
    throw UsageError(fmt::format("--on {}: allowed: {}, {}, {}", name, role_of(Processor::Riscv1),
                                 role_of(Processor::Riscv0), role_of(Processor::Compute)));
}

CensusOptions census_options(const KernelCheckOptions& options) {
    CensusOptions census;
    if (!options.processor.empty()) {
        census.processor = processor_called(options.processor);
    }
    for (const std::string& define : options.defines) {
        const std::size_t equals = define.find('=');
        census.defines[define.substr(0, equals)] =
            equals == define.npos ? "1" : define.substr(equals + 1);
    }
    return census;
}

std::vector<CheckedKernel> checked_kernels(const KernelCheckOptions& options, Console& console) {
    const ArchSpec arch = load_device(find_device_model("--device", options.device), {}).arch;
    std::vector<std::filesystem::path> files;
    for (const std::string& place : options.places) {
        const auto more = kernels_at(place);
        files.insert(files.end(), more.begin(), more.end());
    }
    ProgressLine progress(console);
    return check_kernel_files(
        files, arch, census_options(options), threads_of(options.threads),
        [&](std::size_t num_done) { progress.count("kernels", num_done, files.size()); });
}

using Counts = std::vector<std::pair<std::string, std::size_t>>;

/// Returns how many kernels miss each name or header, most frequent first.
Counts counts_of(const std::vector<CheckedKernel>& kernels) {
    std::map<std::string, std::size_t> numbers;
    for (const CheckedKernel& kernel : kernels) {
        for (const auto* list : {&kernel.errors.vendor_headers, &kernel.errors.user_headers,
                                 &kernel.errors.names, &kernel.errors.defines}) {
            for (const std::string& name : *list) {
                ++numbers[name];
            }
        }
    }
    Counts counts(numbers.begin(), numbers.end());
    std::ranges::stable_sort(counts, std::greater{}, &Counts::value_type::second);
    return counts;
}

std::string kernel_text(const CheckedKernel& kernel) {
    const CompileErrors& errors = kernel.errors;
    if (errors.empty()) {
        return fmt::format("{} ({}): compiles{}\n", kernel.path, role_of(kernel.processor),
                           missing_text(errors, {}));
    }
    std::string text = fmt::format("{} ({}):{}\n", kernel.path, role_of(kernel.processor),
                                   missing_text(errors, {}));
    constexpr std::size_t kMostErrors = 3;
    for (std::size_t i = 0; i < std::min(kMostErrors, errors.others.size()); ++i) {
        text += "  " + errors.others[i] + "\n";
    }
    return text + (errors.others.size() > kMostErrors
                       ? fmt::format("  … and {} more errors\n", errors.others.size() - kMostErrors)
                       : "");
}

std::string coverage_text(const std::vector<CheckedKernel>& kernels, std::size_t num_names,
                          const report::TextStyle& style) {
    using report::Align;
    std::vector<report::Column> columns{
        {"", Align::Left, 9, {}}, {"kernels", Align::Right, 8, {}}, {"share", Align::Right, 7, {}}};
    for (const NeedRow& row : kNeeds) {
        const auto number = std::ranges::count(kernels, row.needs, [](const CheckedKernel& kernel) {
            return needs_of(kernel.errors);
        });
        columns[0].cells.push_back({row.about});
        columns[1].cells.push_back({std::to_string(number)});
        columns[2].cells.push_back(
            {fmt::format("{:.1f} %", 100.0 * static_cast<double>(number) /
                                         static_cast<double>(kernels.size()))});
    }
    std::string text = to_text(columns, style);
    const Counts counts = counts_of(kernels);
    std::vector<report::Column> names{{"kernels", Align::Right, 8, {}},
                                      {"missing", Align::Left, 9, {}}};
    for (std::size_t i = 0; i < std::min(num_names, counts.size()); ++i) {
        names[0].cells.push_back({std::to_string(counts[i].second)});
        names[1].cells.push_back({counts[i].first});
    }
    if (!counts.empty()) {
        text += "\n" + to_text(names, style);
    }
    return text;
}

Json to_json(const std::vector<CheckedKernel>& kernels) {
    Json rows = Json::array();
    for (const CheckedKernel& kernel : kernels) {
        const CompileErrors& errors = kernel.errors;
        rows.push_back({{"path", kernel.path},
                        {"processor", role_of(kernel.processor)},
                        {"needs", row_of(needs_of(errors)).name},
                        {"vendor_headers", errors.vendor_headers},
                        {"user_headers", errors.user_headers},
                        {"names", errors.names},
                        {"defines", errors.defines},
                        {"compute_functions", errors.compute_functions},
                        {"instructions", errors.instructions},
                        {"errors", errors.others}});
    }
    Json counts = Json::object();
    for (const auto& [name, number] : counts_of(kernels)) {
        counts[name] = number;
    }
    return {{"schema", "tessera.kernel_check"}, {"kernels", rows}, {"missing", counts}};
}

// How many kernels each of the categories has, as the rows of a table.
std::string coverage_head(const std::vector<CheckedKernel>& kernels) {
    std::string text =
        fmt::format("| of {} kernels | number | share |\n|---|---:|---:|\n", kernels.size());
    for (const NeedRow& row : kNeeds) {
        const auto number = std::ranges::count(kernels, row.needs, [](const CheckedKernel& kernel) {
            return needs_of(kernel.errors);
        });
        text +=
            fmt::format("| {} | {} | {:.1f} % |\n", row.about, number,
                        100.0 * static_cast<double>(number) / static_cast<double>(kernels.size()));
    }
    return text;
}

// Words that only programs define. A word is not one of them if a kernel misses it as a name.
std::set<std::string> words_of_programs(const std::vector<CheckedKernel>& kernels) {
    std::set<std::string> words;
    for (const CheckedKernel& kernel : kernels) {
        words.insert(kernel.errors.defines.begin(), kernel.errors.defines.end());
    }
    for (const CheckedKernel& kernel : kernels) {
        for (const std::string& name : kernel.errors.names) {
            words.erase(name);
        }
    }
    return words;
}

/// A name on the coverage page.
struct CoveredName {
    std::string name;
    std::size_t number;  ///< of kernels whose text has it
    const char* support;
};
constexpr const char* kSupported = "yes";

// Names of the API that kernels use, and names that they miss, the most frequent first.
std::vector<CoveredName> covered_names(const std::vector<CheckedKernel>& kernels,
                                       const std::set<std::string>& api) {
    std::vector<std::filesystem::path> files;
    files.reserve(kernels.size());
    for (const CheckedKernel& kernel : kernels) {
        files.emplace_back(kernel.path);
    }
    const auto used = uses_of(api, files);
    const auto missing = counts_of(kernels);
    const auto words = words_of_programs(kernels);
    std::vector<CoveredName> names;
    names.reserve(used.size() + missing.size());
    for (const auto& [name, number] : used) {
        names.push_back({name, number, kSupported});
    }
    for (const auto& [name, number] : missing) {
        names.push_back({name, number, words.contains(name) ? "a program's word" : "no"});
    }
    std::ranges::stable_sort(names, std::greater{}, &CoveredName::number);
    return names;
}

// Tables of the documentation: what kernels need, and each name of the API by the number of kernels
// that use it, with a file that tests it.
std::string coverage_page(const std::vector<CheckedKernel>& kernels, const std::string& tests) {
    const std::set<std::string> api = api_names(find_package().include_dir);
    const auto tested =
        tests.empty() ? std::map<std::string, std::string>{} : first_file_with(api, tests);
    constexpr const char* kIntroduction =
        "# Coverage of the kernel API\n\n"
        "For everybody who wants to know whether a kernel's calls are emulated. The command\n"
        "`tessera kernel check PLACE … --coverage --tests DIR` prints this page. The first table\n"
        "says what the kernels need. The second one lists each name of the API, and each name "
        "that\n"
        "is missing, with the number of kernels whose text has it and a file that tests it. A\n"
        "program's word is one that the host program of a kernel defines.\n\n";
    std::string text = kIntroduction + coverage_head(kernels) +
                       "\n| name | kernels | supported | test |\n|---|---:|---|---|\n";
    for (const CoveredName& row : covered_names(kernels, api)) {
        const auto test = row.support == kSupported ? tested.find(row.name) : tested.end();
        text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.number, row.support,
                            test == tested.end() ? "" : test->second);
    }
    return text;
}

ExitCode check_kernels(const KernelCheckOptions& options, Console& console) {
    apply(options.kernels);
    const std::vector<CheckedKernel> kernels = checked_kernels(options, console);
    const bool is_ok = std::ranges::all_of(
        kernels, [](const CheckedKernel& kernel) { return kernel.errors.empty(); });
    if (options.json) {
        console.out << to_json(kernels).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
        return is_ok ? ExitCode::Success : ExitCode::WrongInput;
    }
    if (options.coverage) {
        console.out << coverage_page(kernels, options.tests);
        return ExitCode::Success;
    }
    constexpr std::size_t kMostShown = 8;
    constexpr std::size_t kMostNames = 20;
    for (const CheckedKernel& kernel : kernels) {
        if (options.full || kernels.size() <= kMostShown) {
            console.out << kernel_text(kernel);
        }
    }
    const std::size_t num_names = options.full ? kernels.size() * kMostNames : kMostNames;
    console.out << (kernels.size() > 1 ? "\n" + coverage_text(kernels, num_names, console.out_style)
                                       : "");
    return is_ok ? ExitCode::Success : ExitCode::WrongInput;
}

Command add_kernel_check(CLI::App& kernel, Console& console) {
    auto* command = kernel.add_subcommand(
        "check", "Compile kernels without a program, and list what they miss");
    auto options = std::make_shared<KernelCheckOptions>();
    command
        ->add_option("PLACE", options->places,
                     "Kernels, or folders in which all .cpp files with a kernel are checked")
        ->required()
        ->type_name("");
    add_include_option(*command, options->kernels);
    add_repeated_option(*command, "--define", options->defines, "NAME=VALUE",
                        "Define a word as a program would; --define NAME defines it as 1");
    command
        ->add_option("--on", options->processor,
                     "Processor: reader, writer or compute [by what each kernel includes, calls "
                     "and is named]")
        ->type_name("PROCESSOR");
    command->add_option("--device", options->device, "Device model [wormhole_n150]")
        ->type_name("NAME");
    command->add_option("--threads", options->threads, "Compilers at once [one per host core]")
        ->type_name("N");
    command->add_flag("--json", options->json, "Print the result as JSON");
    command->add_flag("--coverage", options->coverage,
                      "Print, as Markdown, the names of the kernel API that the kernels use");
    command->add_option("--tests", options->tests, "Folder in which --coverage looks for tests")
        ->type_name("DIR");
    command->add_flag("--full", options->full, "Print all kernels and all names");
    command->footer(
        "Prints for each kernel every name and header that Tessera does not have, headers whose\n"
        "root is missing, and words that the program would define; for several kernels a table of\n"
        "how many compile. Compile-time arguments are small numbers and circular buffers hold\n"
        "bfloat16 tiles, so an error may come from them. Ends with 2 if a kernel does not "
        "compile.");
    return {command, [options, &console] { return check_kernels(*options, console); }};
}

}  // namespace

Command add_kernel(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("kernel", "Run or check kernels that have no program");
    command->require_subcommand(1);
    const Command start = add_kernel_run(*command, console);
    const Command check = add_kernel_check(*command, console);
    return {command,
            [start, check] { return start.options->parsed() ? start.run() : check.run(); }};
}

}  // namespace tessera::cli
