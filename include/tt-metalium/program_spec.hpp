// SPDX-License-Identifier: Apache-2.0
// Programs as data (the vendor's Metal 2.0): kernels, and named dataflow buffers, semaphores and
// arguments. Kernels read these as get_arg(args::NAME), get_vararg(i), dfb::NAME and sem::NAME.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "tt-metalium/host_api.hpp"

namespace tt::tt_metal::experimental::metal2_host_api {

using NodeCoord = CoreCoord;
using NodeRange = CoreRange;
using NodeRangeSet = CoreRangeSet;
using Nodes = std::variant<NodeCoord, NodeRange, NodeRangeSet>;

using DFBSpecName = std::string;
using KernelSpecName = std::string;
using SemaphoreSpecName = std::string;

enum class DFBAccessPattern : std::uint8_t { STRIDED, BLOCKED, CONTIGUOUS };

/// Queue of entries between the kernels of a core: a circular buffer. Sizes are in bytes.
struct DataflowBufferSpec {
    using Nodes = metal2_host_api::Nodes;
    DFBSpecName unique_id;
    Nodes target_nodes;
    std::uint32_t entry_size = 0;
    std::uint32_t num_entries = 0;
    std::optional<DataFormat> data_format_metadata = std::nullopt;  ///< format for compute kernels
    std::optional<Tile> tile_format_metadata = std::nullopt;
};

/// A semaphore on each of a set of cores.
struct SemaphoreSpec {
    using Nodes = metal2_host_api::Nodes;
    SemaphoreSpecName unique_id;
    Nodes target_nodes;
    std::uint32_t initial_value = 0;
};

struct ComputeConfiguration {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
    using UnpackToDestModeEntry = std::pair<DFBSpecName, UnpackToDestMode>;
    std::vector<UnpackToDestModeEntry> unpack_to_dest_mode;
};

/// Processor and NoC of a data movement kernel on Wormhole and Blackhole.
struct DataMovementConfiguration {
    struct Gen1DataMovementConfig {
        DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
        NOC noc = NOC::RISCV_0_default;
        NOC_MODE noc_mode = NOC_MODE::DM_DEDICATED_NOC;
    };
    std::optional<Gen1DataMovementConfig> gen1_data_movement_config = std::nullopt;
};

/// A kernel: source, cores, configuration, and the names that its source uses.
struct KernelSpec {
    KernelSpecName unique_id;
    struct SourceFilePath {
        std::filesystem::path path;
    };
    struct SourceCode {
        std::string code;
    };
    std::variant<SourceFilePath, SourceCode> source;
    using Nodes = metal2_host_api::Nodes;
    Nodes target_nodes;
    std::uint8_t num_threads = 1;

    struct CompilerOptions {
        using Defines = std::vector<std::pair<std::string, std::string>>;
        std::vector<std::string> include_paths;
        Defines defines;
        KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
    };
    CompilerOptions compiler_options = {};

    enum class DFBEndpointType : std::uint8_t { PRODUCER, CONSUMER, RELAY };
    struct DFBBinding {
        DFBSpecName dfb_spec_name;
        std::string local_accessor_name;  ///< dfb::NAME in the kernel
        DFBEndpointType endpoint_type = DFBEndpointType::PRODUCER;
        DFBAccessPattern access_pattern = DFBAccessPattern::STRIDED;
    };
    std::vector<DFBBinding> dfb_bindings;

    struct SemaphoreBinding {
        SemaphoreSpecName semaphore_spec_name;
        std::string accessor_name;  ///< sem::NAME in the kernel
    };
    std::vector<SemaphoreBinding> semaphore_bindings;

    using CompileTimeArgBindings = std::vector<std::pair<std::string, std::uint32_t>>;
    CompileTimeArgBindings compile_time_arg_bindings;

    /// Names of the arguments, in the order in which they are placed; unnamed ones follow.
    struct RuntimeArgSchema {
        std::vector<std::string> named_runtime_args;
        std::vector<std::string> named_common_runtime_args;
        std::size_t num_runtime_varargs = 0;
        using NumVarargsPerNode = std::vector<std::pair<Nodes, std::size_t>>;
        std::optional<NumVarargsPerNode> num_runtime_varargs_per_node = std::nullopt;
        std::size_t num_common_runtime_varargs = 0;
    };
    RuntimeArgSchema runtime_arguments_schema{};

    using ConfigSpec = std::variant<DataMovementConfiguration, ComputeConfiguration>;
    ConfigSpec config_spec;
    [[nodiscard]] bool is_compute_kernel() const {
        return std::holds_alternative<ComputeConfiguration>(config_spec);
    }
    [[nodiscard]] bool is_dm_kernel() const { return !is_compute_kernel(); }
};

/// Kernels and resources that share cores. Tessera does not use this grouping: each kernel and
/// resource has its own cores.
struct WorkerSpec {
    std::string unique_id;
    std::vector<KernelSpecName> kernels;
    std::vector<DFBSpecName> dataflow_buffers;
    std::vector<SemaphoreSpecName> semaphores;
    Nodes target_nodes;
};

struct ProgramSpec {
    std::string program_id;
    std::vector<KernelSpec> kernels;
    std::vector<DataflowBufferSpec> dataflow_buffers;
    std::vector<SemaphoreSpec> semaphores;
    std::optional<std::vector<WorkerSpec>> workers = std::nullopt;
};

/// Values of one launch: arguments of kernels, and new sizes of dataflow buffers.
struct ProgramRunParams {
    struct KernelRunParams {
        KernelSpecName kernel_spec_name;
        struct NodeNamedRTAs {
            NodeCoord node;
            std::unordered_map<std::string, std::uint32_t> args;
        };
        std::vector<NodeNamedRTAs> named_runtime_args;
        std::unordered_map<std::string, std::uint32_t> named_common_runtime_args;
        struct NodeVarargs {
            NodeCoord node;
            std::vector<std::uint32_t> args;
        };
        std::vector<NodeVarargs> runtime_varargs;
        std::vector<std::uint32_t> common_runtime_varargs;
    };
    std::vector<KernelRunParams> kernel_run_params;
    struct DFBRunParams {
        DFBSpecName dfb_spec_name;
        std::optional<std::uint32_t> entry_size = std::nullopt;
        std::optional<std::uint32_t> num_entries = std::nullopt;
    };
    std::vector<DFBRunParams> dfb_run_params;
};

/// Makes a program from its description.
/// Errors   std::runtime_error for a name that is used twice or not declared, and as CreateKernel,
///          CreateCircularBuffer and CreateSemaphore.
[[nodiscard]] Program MakeProgramFromSpec(const ProgramSpec& spec, bool skip_validation = false);
/// Sets the values of the next launch. All arguments of a core must be set in one call.
/// Errors   std::runtime_error naming a kernel, buffer or argument that is unknown or missing.
void SetProgramRunParameters(Program& program, const ProgramRunParams& params);

// Names since June 2026.
using ProgramRunArgs = ProgramRunParams;
inline void SetProgramRunArgs(Program& program, const ProgramRunArgs& args) {
    SetProgramRunParameters(program, args);
}

}  // namespace tt::tt_metal::experimental::metal2_host_api
