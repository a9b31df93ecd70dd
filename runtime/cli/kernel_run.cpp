// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/kernel_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "emu/base/input_file.hpp"
#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/cli/inferred_text.hpp"
#include "runtime/cli/kernel_run_options.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/run.hpp"
#include "runtime/facade/device_model.hpp"
#include "runtime/kernels/kernel_census.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;
using pipeline::InferredProgram;
using pipeline::KernelFile;
using pipeline::KernelOverrides;

/// A folder for the run file and the kernels that Tessera adds: that of --save, or one that is
/// removed at the end, also by a signal.
class RunFolder {
public:
    explicit RunFolder(const std::optional<std::string>& save) : is_kept_(save.has_value()) {
        if (is_kept_) {
            require_folder_name("--save", save);
            fs::create_directories(*save);
            path_ = fs::absolute(*save);
            return;
        }
        std::string name = (fs::temp_directory_path() / "tessera-kernel-XXXXXX").string();
        require(mkdtemp(name.data()) != nullptr, "kernel run: no folder can be made in {}",
                fs::temp_directory_path().string());
        path_ = name;
        list_as_partial(path_);
    }
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    RunFolder(RunFolder&&) = delete;
    RunFolder& operator=(RunFolder&&) = delete;
    ~RunFolder() {
        std::error_code error;  // a folder that is left is no reason to end otherwise
        if (!is_kept_) {
            fs::remove_all(path_, error);
        }
    }
    /// Returns a message that names no file which the end of the command removes.
    [[nodiscard]] std::string renamed(std::string message) const {
        if (!is_kept_) {
            replace_all(message, run_file_, kHiddenRunFile);
            replace_all(message, path_.string() + "/", "");
        }
        return message;
    }
    /// Writes the run file and makes `options` run it.
    void write_run_file(const std::string& name, const std::string& text, RunOptions& options) {
        run_file_ = write(name, text);
        options.config.config = run_file_;
        if (!is_kept_) {
            options.shown_as = kHiddenRunFile;
        }
    }
    /// Writes a kernel that Tessera adds. Returns its path for the run file: in a folder that is
    /// removed, a name that says so, since results show it.
    std::string write_kernel(const std::string& name, const std::string& text) const {
        const std::string file = is_kept_ ? name : "added " + name;
        const std::string path = write(file, text);
        return is_kept_ ? path : file;
    }
    /// Returns the path of a user's kernel for the run file: as given, since results show it. A run
    /// file that is kept finds its kernels from any folder.
    [[nodiscard]] std::string path_of(const std::string& given) const {
        return is_kept_ || fs::exists(path_ / given)
                   ? fs::absolute(given).lexically_normal().string()
                   : given;
    }

private:
    std::string write(const std::string& name, const std::string& text) const {
        const fs::path file = path_ / name;
        write_unless_edited(file, text, Force::No,
                            "--save with another folder, whose files may be written");
        if (!is_kept_) {
            list_as_partial(file);
        }
        return file.string();
    }
    static void replace_all(std::string& text, const std::string& from, std::string_view to) {
        for (auto at = text.find(from); at != std::string::npos && !from.empty();
             at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    }

    static constexpr const char* kHiddenRunFile = "the inferred run file";

    bool is_kept_;
    fs::path path_;
    std::string run_file_ = {};
};

bool moves(const KernelFile& file, bool is_write) {
    return std::ranges::find(file.text.transfers, is_write, &pipeline::KernelTransfer::is_write) !=
           file.text.transfers.end();
}

// Transfers decide better than names: a kernel that only reads tensors is the reader. If two kernels
// do so, the first is the reader.
void choose_movers(std::vector<KernelFile>& files, const std::set<std::string>& chosen) {
    std::vector<KernelFile*> movers;
    for (KernelFile& file : files) {
        if (file.processor == Processor::Compute || chosen.contains(file.path)) {
            continue;
        }
        movers.push_back(&file);
        if (moves(file, true) != moves(file, false)) {
            file.processor = moves(file, true) ? Processor::Riscv0 : Processor::Riscv1;
        }
    }
    if (movers.size() == 2 && movers[0]->processor == movers[1]->processor) {
        movers[0]->processor = Processor::Riscv1;
        movers[1]->processor = Processor::Riscv0;
    }
}

void name_by_role(std::vector<KernelFile>& files) {
    std::ranges::sort(files, {}, [](const KernelFile& file) {
        return file.processor == Processor::Riscv1    ? 0
               : file.processor == Processor::Compute ? 1
                                                      : 2;
    });
    for (std::size_t i = 0; i < files.size(); ++i) {
        files[i].name = role_of(files[i].processor);
        require(i == 0 || files[i].processor != files[i - 1].processor,
                "{} and {} both run on the {}; allowed: one kernel for each processor; say which "
                "with --on FILE=reader, writer or compute",
                files[i == 0 ? 0 : i - 1].path, files[i].path, files[i].name);
    }
}

std::string kernel_source(const std::string& path) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
    require(fs::path(path).extension() != ".yaml",
            "{0}: is not a kernel, allowed: C++ sources; a run file is run by tessera run {0}",
            path);
    return tessera::read_input(path, kMostBytes);
}

std::vector<KernelFile> kernel_files(const KernelRunOptions& options, const RunFolder& folder) {
    std::vector<KernelFile> files;
    std::set<std::string> chosen;  // paths of kernels whose processor is given
    for (const std::string& path : options.files) {
        const std::string text = kernel_source(path);
        KernelFile file{.path = folder.path_of(path),
                        .name = {},
                        .processor = guess_processor(path, text),
                        .defines = {}};
        if (const auto processor = chosen_processor(options, path)) {
            file.processor = *processor;
            chosen.insert(file.path);
        }
        file.text = pipeline::scan_kernel(text, defines_of(options, ""));
        files.push_back(std::move(file));
    }
    choose_movers(files, chosen);
    name_by_role(files);
    for (KernelFile& file : files) {
        file.defines = defines_of(options, file.name);
        file.text = pipeline::scan_kernel(kernel_source(file.path), file.defines);
    }
    return files;
}

void add_stand_ins(std::vector<KernelFile>& files, const KernelOverrides& overrides,
                   const RunFolder& folder) {
    for (const pipeline::StandIn& kernel : pipeline::stand_ins(files, overrides)) {
        files.push_back({.path = folder.write_kernel(kernel.name + ".cpp", kernel.text),
                         .name = kernel.name,
                         .processor = *processor_named(kernel.name),
                         .defines = {},
                         .text = pipeline::scan_kernel(kernel.text, {}),
                         .is_added = true});
    }
    name_by_role(files);
}

RunFileKeys keys_of(const KernelRunOptions& options) {
    // A shipped model is named, so that the run file of --save works on another host.
    const bool is_path = std::filesystem::exists(options.device);
    RunFileKeys keys{.device = is_path ? fs::absolute(options.device).string() : options.device,
                     .reference = {},
                     .reference_file = {}};
    const bool is_file = options.reference.ends_with(".safetensors");
    (is_file ? keys.reference_file : keys.reference) =
        is_file ? fs::absolute(options.reference).string() : options.reference;
    if (options.fp32_dest_acc) {
        keys.compute.emplace_back("fp32_dest_acc: true");
    }
    if (options.math_approx) {
        keys.compute.emplace_back("math_approx_mode: true");
    }
    if (!options.fidelity.empty()) {
        keys.compute.push_back("math_fidelity: " + options.fidelity);
    }
    return keys;
}

std::string numbered(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        result += fmt::format("\n{:>4}  {}", ++number, line);
    }
    return result;
}

/// Key of the inferred run file that an option gives.
struct KeyOfOption {
    std::string_view key;
    std::string_view option;
};

/// Returns the option that gives the key of a message; empty if none does.
std::string_view option_in(const std::string& message) {
    constexpr std::array kOptions{KeyOfOption{"].math_fidelity:", "--fidelity"},
                                  KeyOfOption{"].args:", "--arg"},
                                  KeyOfOption{"].compile_args:", "--ct"},
                                  KeyOfOption{"program.cbs.", "--cb"},
                                  KeyOfOption{"program.cores", "--grid or --units"},
                                  KeyOfOption{"steps.kernel.reference:", "--reference"}};
    const auto* found = std::ranges::find_if(kOptions, [&](const KeyOfOption& row) {
        return message.find(row.key) != std::string::npos;
    });
    return found == kOptions.end() ? std::string_view() : found->option;
}

// The file of a ConfigError is removed at the end, so the message shows it, and names the option
// that the wrong value comes from.
ExitCode run_file(const RunOptions& options, const std::string& text, const Console& console) {
    try {
        return run(options, console);
    } catch (const ConfigError& error) {
        const std::string_view option = option_in(error.what());
        throw ConfigError(fmt::format("{}{}\nthe inferred run file:{}", error.what(),
                                      option.empty() ? "" : fmt::format("; set {}", option),
                                      numbered(text)));
    }
}

ExitCode print_json(const RunOptions& options, const InferredProgram& program,
                    const std::string& text, const Console& console) {
    std::ostringstream out;
    const Console inner{out, console.err, console.out_style, console.progress, console.link};
    const ExitCode code = run_file(options, text, inner);
    auto record = nlohmann::ordered_json::parse(out.str());
    record["inferred"] = inference_json(program);
    console.out << record.dump(2) << '\n';
    return code;
}

ExitCode run_in(RunFolder& folder, const KernelRunOptions& options, const Console& console) {
    KernelOverrides overrides = overrides_of(options);
    std::vector<KernelFile> files = kernel_files(options, folder);
    add_stand_ins(files, overrides, folder);
    KernelTensors tensors = kernel_tensors(options.tensors, files);
    overrides.outputs = tensors.outputs;
    const ArchSpec arch = load_device(find_device_model("--device", options.device), {}).arch;
    const InferredProgram program = pipeline::infer_program(
        std::move(files), std::move(tensors.inputs), overrides, arch.workers.compute);
    if (!options.run.json && !options.run.quiet) {
        console.out << inference_text(program, console.out_style) << '\n' << std::flush;
    }
    require(program.mistakes.empty(), "kernel run: not everything could be inferred\n  {}",
            fmt::join(program.mistakes, "\n  "));
    const std::string text = run_file_text(program, keys_of(options));
    RunOptions run_options = options.run;
    folder.write_run_file(fs::path(options.files.front()).stem().string() + ".yaml", text,
                          run_options);
    return options.run.json ? print_json(run_options, program, text, console)
                            : run_file(run_options, text, console);
}

ExitCode run_kernels(const KernelRunOptions& options, const Console& console) {
    // Files that cannot be written are found before the kernels are read, as `run` does.
    check_run_options(options.run);
    require(options.reference.empty() || !options.run.timing_only,
            "--reference needs values, leave out --timing-only");
    apply(options.run.kernel_options);
    RunFolder folder(options.save);
    try {
        return run_in(folder, options, console);
    } catch (const ConfigError& error) {
        throw ConfigError(folder.renamed(error.what()));
    } catch (const UsageError& error) {
        throw UsageError(folder.renamed(error.what()));
    } catch (const KernelError& error) {
        Where where = error.where();
        where.kernel = folder.renamed(where.kernel);
        where.file = folder.renamed(where.file);
        throw KernelError(error.category(), where, folder.renamed(error.detail()));
    }
}

}  // namespace

Command add_kernel_run(CLI::App& kernel, Console& console) {
    auto* command = kernel.add_subcommand(
        "run", "Run a kernel, or a reader, compute and writer, without a program");
    auto options = std::make_shared<KernelRunOptions>();
    constexpr int kMostKernels = 3;
    command->add_option("FILE", options->files, "Kernels, one for each processor")
        ->required()
        ->expected(1, kMostKernels)
        ->type_name("");
    add_kernel_run_options(*command, *options);
    command->footer(
        "Infers tensors, circular buffers, arguments and cores from the kernels' text, prints "
        "each\n"
        "with its reason and the option that replaces it, and runs them as tessera run. A compute\n"
        "kernel alone gets a reader and a writer that move tiles in order. Ends with 2 if a value\n"
        "cannot be inferred; the message names the option. --save keeps the run file.\n"
        "With --timing-only only integers have values: a kernel that branches on other values\n"
        "may take another path.");
    return {command, [options, &console] { return run_kernels(*options, console); }};
}

}  // namespace tessera::cli
