// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/program_spec.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/kernel_path.hpp"
#include "runtime/metalium/program_state.hpp"
#include "tessera/errors.hpp"

namespace tt::tt_metal {

namespace detail {

struct SpecState {
    struct Kernel {
        KernelHandle handle = 0;
        experimental::metal2_host_api::KernelSpec::RuntimeArgSchema schema;
    };
    std::map<std::string, Kernel> kernels;
    std::map<std::string, CBHandle> buffers;
    std::map<std::string, std::uint32_t> semaphores;
};

}  // namespace detail

namespace experimental::metal2_host_api {

using tessera::require;
using tessera::metalium::to_tessera;

namespace {

template <class Value>
const Value& find(const std::map<std::string, Value>& values, const std::string& name,
                  const char* what) {
    if (const auto found = values.find(name); found != values.end()) {
        return found->second;
    }
    std::vector<std::string_view> allowed;
    allowed.reserve(values.size());
    for (const auto& [known, value] : values) {
        allowed.emplace_back(known);
    }
    throw tessera::UsageError(fmt::format("program spec: unknown {} {}, allowed: {}", what, name,
                                          fmt::join(allowed, ", ")));
}

void require_new(bool is_new, const char* what, const std::string& name) {
    require(is_new, "program spec: two {}s are named {}", what, name);
}

std::string named_arguments(const KernelSpec& spec) {
    const auto& schema = spec.runtime_arguments_schema;
    std::string text = "#include \"tessera/kernel/dataflow/named_args.hpp\"\nnamespace args {\n";
    for (std::size_t i = 0; i < schema.named_runtime_args.size(); ++i) {
        text += fmt::format("constexpr tessera_args::Runtime {}{{{}}};\n",
                            schema.named_runtime_args[i], i);
    }
    for (std::size_t i = 0; i < schema.named_common_runtime_args.size(); ++i) {
        text += fmt::format("constexpr tessera_args::Common {}{{{}}};\n",
                            schema.named_common_runtime_args[i], i);
    }
    for (const auto& [name, value] : spec.compile_time_arg_bindings) {
        text += fmt::format("constexpr tessera_args::Constant {}{{{}u}};\n", name, value);
    }
    return text + "}\n" +
           fmt::format(
               "inline uint32_t get_vararg(uint32_t i) {{ return get_arg_val<uint32_t>({} + i); "
               "}}\n"
               "inline uint32_t get_common_vararg(uint32_t i) {{ return "
               "get_common_arg_val<uint32_t>({} + i); }}\n",
               schema.named_runtime_args.size(), schema.named_common_runtime_args.size());
}

std::string named_resources(const KernelSpec& spec, const detail::SpecState& state) {
    std::string text =
        spec.dfb_bindings.empty() ? "" : "#include \"api/dataflow/dataflow_buffer.h\"\n";
    text += "namespace dfb {\n";
    for (const KernelSpec::DFBBinding& binding : spec.dfb_bindings) {
        text += fmt::format("constexpr uint16_t {} = {};\n", binding.local_accessor_name,
                            find(state.buffers, binding.dfb_spec_name, "dataflow buffer"));
    }
    text += "}\nnamespace sem {\n";
    for (const KernelSpec::SemaphoreBinding& binding : spec.semaphore_bindings) {
        text += fmt::format("constexpr uint16_t {} = {};\n", binding.accessor_name,
                            find(state.semaphores, binding.semaphore_spec_name, "semaphore"));
    }
    return text + "}\n";
}

// The file is included, so that messages keep its path and its lines.
std::string source_of(const KernelSpec& spec, const detail::SpecState& state) {
    const std::string names = named_arguments(spec) + named_resources(spec, state);
    if (const auto* code = std::get_if<KernelSpec::SourceCode>(&spec.source)) {
        return names + "#line 1\n" + code->code;
    }
    const std::string path = tessera::metalium::resolve_kernel_path(
        std::get<KernelSpec::SourceFilePath>(spec.source).path.string());
    return names + fmt::format("#include \"{}\"\n", std::filesystem::absolute(path).string());
}

Defines defines_of(const KernelSpec& spec) {
    return {spec.compiler_options.defines.begin(), spec.compiler_options.defines.end()};
}
NamedCompileArgs constants_of(const KernelSpec& spec) {
    return {spec.compile_time_arg_bindings.begin(), spec.compile_time_arg_bindings.end()};
}

KernelConfig config_of(const KernelSpec& spec, const DataMovementConfiguration& config) {
    require(
        config.gen1_data_movement_config.has_value(),
        "program spec: kernel {} has no gen1_data_movement_config, which the emulated chips need",
        spec.unique_id);
    const auto& [processor, noc, mode] = *config.gen1_data_movement_config;
    return DataMovementConfig{.processor = processor,
                              .noc = noc,
                              .noc_mode = mode,
                              .compile_args = {},
                              .defines = defines_of(spec),
                              .named_compile_args = constants_of(spec)};
}

KernelConfig config_of(const KernelSpec& spec, const ComputeConfiguration& config,
                       const detail::SpecState& state) {
    ComputeConfig compute{.math_fidelity = config.math_fidelity,
                          .fp32_dest_acc_en = config.fp32_dest_acc_en,
                          .dst_full_sync_en = config.dst_full_sync_en,
                          .unpack_to_dest_mode = {},
                          .bfp8_pack_precise = config.bfp8_pack_precise,
                          .math_approx_mode = config.math_approx_mode,
                          .compile_args = {},
                          .defines = defines_of(spec),
                          .named_compile_args = constants_of(spec)};
    for (const auto& [name, mode] : config.unpack_to_dest_mode) {
        const CBHandle index = find(state.buffers, name, "dataflow buffer");
        compute.unpack_to_dest_mode.resize(
            std::max<std::size_t>(compute.unpack_to_dest_mode.size(), index + 1),
            UnpackToDestMode::Default);
        compute.unpack_to_dest_mode[index] = mode;
    }
    return compute;
}

void add_buffer(Program& program, const DataflowBufferSpec& spec, detail::SpecState& state) {
    const auto index = static_cast<std::uint8_t>(state.buffers.size());
    // In 64 bits: a product that wraps around might fit in L1.
    const std::uint64_t bytes = std::uint64_t{spec.entry_size} * spec.num_entries;
    require(bytes <= std::numeric_limits<std::uint32_t>::max(),
            "dataflow buffer {}: {} entries of {} B; allowed: less than 4 GiB in all",
            spec.unique_id, spec.num_entries, spec.entry_size);
    CircularBufferConfig config(
        static_cast<std::uint32_t>(bytes),
        {{index, spec.data_format_metadata.value_or(DataFormat::RawUInt32)}});
    config.set_page_size(index, spec.entry_size);
    if (spec.tile_format_metadata) {
        config.set_tile_dims(index, *spec.tile_format_metadata);
    }
    const CBHandle handle = CreateCircularBuffer(program, spec.target_nodes, config);
    require_new(state.buffers.emplace(spec.unique_id, handle).second, "dataflow buffer",
                spec.unique_id);
}

void add_kernel(Program& program, const KernelSpec& spec, detail::SpecState& state) {
    require(
        spec.num_threads == 1,
        "kernel {}: num_threads is {}; allowed: 1, since these chips run one thread of a kernel "
        "on a core",
        spec.unique_id, spec.num_threads);
    require(spec.compiler_options.include_paths.empty(),
            "kernel {}: include_paths has {} folders; allowed: none. TESSERA_INCLUDE_PATH names "
            "folders for all kernels",
            spec.unique_id, spec.compiler_options.include_paths.size());
    const auto* compute = std::get_if<ComputeConfiguration>(&spec.config_spec);
    const KernelConfig config =
        compute != nullptr ? config_of(spec, *compute, state)
                           : config_of(spec, std::get<DataMovementConfiguration>(spec.config_spec));
    const KernelHandle handle = tessera::CreateKernelFromString(
        program.state().program, source_of(spec, state), to_tessera(spec.target_nodes),
        to_tessera(config), spec.unique_id);
    require_new(state.kernels
                    .emplace(spec.unique_id,
                             detail::SpecState::Kernel{handle, spec.runtime_arguments_schema})
                    .second,
                "kernel", spec.unique_id);
}

/// Returns the values of named arguments in the order of their names.
std::vector<std::uint32_t> ordered(const std::vector<std::string>& names,
                                   const std::unordered_map<std::string, std::uint32_t>& values,
                                   const std::string& kernel) {
    std::vector<std::uint32_t> words;
    for (const std::string& name : names) {
        const auto found = values.find(name);
        require(found != values.end(), "kernel {}: argument {} has no value", kernel, name);
        words.push_back(found->second);
    }
    for (const auto& [name, value] : values) {
        require(std::ranges::find(names, name) != names.end(),
                "kernel {}: unknown argument {}, allowed: {}", kernel, name,
                fmt::join(names, ", "));
    }
    return words;
}

void set_arguments(Program& program, const ProgramRunParams::KernelRunParams& params,
                   const detail::SpecState::Kernel& kernel) {
    std::map<NodeCoord, std::vector<std::uint32_t>> words;
    for (const auto& [node, values] : params.named_runtime_args) {
        words[node] = ordered(kernel.schema.named_runtime_args, values, params.kernel_spec_name);
    }
    for (const auto& [node, values] : params.runtime_varargs) {
        std::vector<std::uint32_t>& args = words[node];
        require(args.size() == kernel.schema.named_runtime_args.size(),
                "kernel {}: core {} has values for its unnamed arguments only",
                params.kernel_spec_name, node);
        // If a schema gives each core its own number, no number is common to all.
        require(kernel.schema.num_runtime_varargs_per_node ||
                    values.size() == kernel.schema.num_runtime_varargs,
                "kernel {}: core {} has {} unnamed arguments; allowed: {}, num_runtime_varargs of "
                "its schema",
                params.kernel_spec_name, node, values.size(), kernel.schema.num_runtime_varargs);
        args.insert(args.end(), values.begin(), values.end());
    }
    for (const auto& [node, args] : words) {
        SetRuntimeArgs(program, kernel.handle, node, args);
    }
    std::vector<std::uint32_t> common =
        ordered(kernel.schema.named_common_runtime_args, params.named_common_runtime_args,
                params.kernel_spec_name);
    common.insert(common.end(), params.common_runtime_varargs.begin(),
                  params.common_runtime_varargs.end());
    program.state().program.kernels[kernel.handle].common_args.clear();
    if (!common.empty()) {
        SetCommonRuntimeArgs(program, kernel.handle, common);
    }
}

void resize_buffer(Program& program, const ProgramRunParams::DFBRunParams& params,
                   CBHandle handle) {
    const CircularBufferConfig& config = GetCircularBufferConfig(program, handle);
    const auto& [index, page] = *config.page_sizes_by_index().begin();
    const std::uint32_t entry = params.entry_size.value_or(page);
    const std::uint32_t entries = params.num_entries.value_or(config.total_size() / page);
    CircularBufferConfig& changed = program.state().configs[handle];
    changed.set_total_size(entry * entries).set_page_size(index, entry);
    program.state().program.circular_buffers[handle].config = to_tessera(changed);
}

}  // namespace

Program MakeProgramFromSpec(const ProgramSpec& spec, bool /*skip_validation*/) {
    Program program;
    auto state = std::make_shared<detail::SpecState>();
    for (const DataflowBufferSpec& buffer : spec.dataflow_buffers) {
        add_buffer(program, buffer, *state);
    }
    for (const SemaphoreSpec& semaphore : spec.semaphores) {
        const std::uint32_t id =
            CreateSemaphore(program, semaphore.target_nodes, semaphore.initial_value);
        require_new(state->semaphores.emplace(semaphore.unique_id, id).second, "semaphore",
                    semaphore.unique_id);
    }
    for (const KernelSpec& kernel : spec.kernels) {
        add_kernel(program, kernel, *state);
    }
    program.state().spec = std::move(state);
    return program;
}

void SetProgramRunParameters(Program& program, const ProgramRunParams& params) {
    require(program.state().spec != nullptr,
            "SetProgramRunParameters: the program was not made by MakeProgramFromSpec");
    const detail::SpecState& spec = *program.state().spec;
    for (const auto& kernel : params.kernel_run_params) {
        set_arguments(program, kernel, find(spec.kernels, kernel.kernel_spec_name, "kernel"));
    }
    for (const auto& buffer : params.dfb_run_params) {
        resize_buffer(program, buffer, find(spec.buffers, buffer.dfb_spec_name, "dataflow buffer"));
    }
}

}  // namespace experimental::metal2_host_api
}  // namespace tt::tt_metal
