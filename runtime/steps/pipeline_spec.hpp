// SPDX-License-Identifier: Apache-2.0
// A pipeline as a run file says it: tensors, and steps from tensors to tensors. Nothing here knows
// an op by name; how the words of the file are read is runtime/config's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emu/base/fields/origin.hpp"
#include "emu/base/random_routing.hpp"
#include "ops/op.hpp"
#include "runtime/steps/expression.hpp"
#include "tessera/memory_config.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Where the values of a tensor come from that no step makes. With a file of inputs, those that
/// would be drawn are taken from it, under the tensor's name, and those that say how they are
/// stored.
enum class OriginKind : std::uint8_t {
    Normal,          ///< nearly normal numbers; random bits in integer formats
    Routing,         ///< (T,K) experts that tokens select
    RoutingWeights,  ///< (T,K) weights of them
    RoutingLogits,   ///< (T,E) scores of a router that selects them
    ExpertMapping,   ///< (D,E/D) ids of the experts of each device
    ExpertMap,       ///< (E) of each device: the expert's place among its own, or −1
    Zeros,
    Constant,
    Join,   ///< other tensors, one behind the other
    Index,  ///< of each element what an expression over its number says
    File,
};

/// Elements for which a function is finite: values nearer to 0 than 1/8 are moved.
enum class Domain : std::uint8_t { All, NotZero, Positive };

struct TensorOrigin {
    OriginKind kind = OriginKind::Normal;
    double stddev = 1;
    std::uint32_t fan_in = 0;  ///< not 0: stddev is 1/√fan_in, so that products keep their size
    Domain domain = Domain::All;
    std::uint32_t experts = 0;
    std::uint32_t top_k = 0;  ///< of RoutingLogits
    RoutingKind routing = RoutingKind::Zipf;
    double zipf_exponent = 1;
    RoutingWeights weights = RoutingWeights::Softmax;
    ExpertMapping mapping = ExpertMapping::Contiguous;
    double value = 0;                ///< of Constant
    std::vector<std::string> parts;  ///< of Join: names of tensors
    std::uint32_t axis = 0;          ///< of Join: along which they follow each other
    std::string index;               ///< of Index: an expression over i
    /// Of Index: the names of the run file that the expression may use.
    std::shared_ptr<const Scope> names = nullptr;
    std::string file;    ///< of File: as written, or beside the run file
    std::string tensor;  ///< in the file; empty: the tensor's own name
};

/// Groups of devices that work side by side; all have as many devices.
using DeviceGroups = std::vector<std::vector<std::uint32_t>>;

/// What each device holds of a tensor.
enum class Distribution : std::uint8_t {
    Replicated,  ///< all of it
    Each,        ///< a tensor of its own: values are drawn for each device
    Split,       ///< its part of one axis
};

struct PipelineTensor {
    std::string name;
    TensorSpec spec;  ///< of the whole, before it is split
    MemoryConfig memory;
    bool has_memory = false;  ///< else the op that takes it may say how it is to lie
    Distribution distribution = Distribution::Replicated;
    std::uint32_t split_axis = 0;
    /// A (D, n) tensor of int32 whose row d lists the indices that device d holds, or one of each
    /// device that gives every index its place there, or −1; empty: equal contiguous parts in the
    /// order of devices.
    std::string split_by;
    std::string split_over;  ///< groups, each of which holds all parts; empty: all devices
    DeviceGroups split_groups;
    bool drops_axis = false;  ///< the axis has one index a device and is left out there
    TensorOrigin origin;
    bool persistent = false;  ///< outlives the run, in the file of --state
    std::string stored_as;    ///< in files, with ${device} for its number; empty: its name
    config::Origin place;     ///< of the name in the file, for messages
};

/// A tensor that a step writes. What is left open follows from the op.
struct StepOutput {
    std::string name;
    std::optional<Shape> shape;
    std::optional<DataFormat> format;
    std::optional<Layout> layout;
    std::optional<Tile> tile;
    std::optional<MemoryConfig> memory;
    std::string workspace;  ///< that it lies in; empty: memory of its own
    config::Origin place;
};

/// A tensor in a workspace, needed by steps [first_step, end_step).
struct WorkspaceTensor {
    std::string name;
    std::uint64_t bytes = 0;   ///< of each bank
    std::uint64_t offset = 0;  ///< in each bank
    std::size_t first_step = 0;
    std::size_t end_step = 0;
};

/// Memory that outputs of steps share, allocated from the first one to the last use.
struct Workspace {
    std::string name;
    std::uint64_t bytes = 0;  ///< of each bank
    std::size_t first_step = 0;
    std::size_t end_step = 0;
    std::vector<WorkspaceTensor> tensors;
};

struct PipelineStep {
    std::string name;
    std::shared_ptr<const ops::Op> op;
    std::shared_ptr<const void> parameters;
    std::vector<std::string> inputs;
    std::vector<StepOutput> outputs;
    /// Devices that work on the step together; groups do not know of each other.
    DeviceGroups groups;
    CoreCoord first_core;  ///< by which the cores of the op's programs are moved
    std::string launch;  ///< neighbours with one name share a launch; the step's own name if empty
    /// A later step, or a part of one, in whose launch it runs; empty: none.
    std::string beside;
    config::Origin place;
    config::Origin inputs_place;

    // Filled in when the pipeline is planned: the same on every device.
    std::vector<ops::TensorPlan> input_plans;
    std::vector<ops::TensorPlan> output_plans;
    std::vector<ops::TensorPlan> workspace_plans;
};

/// Whose tensors make one tensor in the file of outputs.
enum class FileJoin : std::uint8_t {
    None,   ///< each device's is one
    Join,   ///< those of a group follow each other along the first axis
    Stack,  ///< those of a group are the indices of a new first axis
};

/// A tensor in the file of outputs.
struct FileOutput {
    std::string tensor;
    /// Its name there, with ${device} for the number of the device; without, of device 0 alone.
    /// Empty: d<i>.TENSOR, or TENSOR where every device holds the same.
    std::string name;
    std::uint32_t rows = 0;  ///< of its first axis; 0: all
    FileJoin join = FileJoin::None;
    std::vector<std::uint32_t> devices;  ///< of the group, unless FileJoin::None
    config::Origin place = {};
};

/// Steps or tensors that reports sum up under one name: `*` in a pattern stands for any letters.
struct NamedPatterns {
    std::string name;
    std::vector<std::string> patterns;
};

/// What reports say of a run beside its steps.
struct ReportSpec {
    std::uint64_t tokens = 0;           ///< that a run works on, over all devices; 0: not said
    std::vector<NamedPatterns> stages;  ///< of steps
    std::vector<NamedPatterns> memory;  ///< of tensors that no step makes
};

struct PipelineSpec {
    std::vector<std::pair<std::string, Value>> params;
    std::vector<PipelineTensor> tensors;
    std::vector<PipelineStep> steps;
    std::vector<PipelineStep> wholes;   ///< steps that gave way to others: their values are checked
    std::vector<FileOutput> outputs;    ///< what a file of outputs holds
    std::vector<Workspace> workspaces;  ///< filled in when the pipeline is planned
    std::vector<std::string> kernels;   ///< sources of all programs; when the pipeline is planned
    ReportSpec report;
    bool has_plain_names = false;  ///< on one device the names there have no "d0." before them
    std::uint64_t seed = 0;
    std::string folder;  ///< of the run file: paths in it are relative to it
};

/// A name in a file: `pattern` with the number of the device for ${device}.
[[nodiscard]] std::string name_on(std::string pattern, std::uint32_t device);

/// A tensor of the file of outputs, and the devices whose tensors it is made of.
struct StoredOutput {
    std::string name;
    std::vector<std::uint32_t> devices;
};
/// Returns the tensors of the file that hold output `index` of a step.
[[nodiscard]] std::vector<StoredOutput> stored_outputs(const PipelineSpec& pipeline,
                                                       const PipelineStep& step, std::size_t index,
                                                       const FileOutput& output,
                                                       std::uint32_t num_devices);

/// The tensor of that name that no step makes, or null.
[[nodiscard]] const PipelineTensor* find_tensor(const PipelineSpec& pipeline,
                                                std::string_view name);

/// Whether a step from `first_step` on reads the tensor.
[[nodiscard]] bool is_read_from(const PipelineSpec& pipeline, std::string_view name,
                                std::size_t first_step);

/// Whether the host reads the step's input back before it can build the programs.
[[nodiscard]] bool is_read_back(const PipelineStep& step, std::size_t input);

/// How the step that takes the tensor first has it lie; null if none does.
[[nodiscard]] const ops::TensorPlan* plan_of_input(const PipelineSpec& pipeline,
                                                   std::string_view name);

/// Whether a later run needs the tensor.
[[nodiscard]] bool outlives_the_run(const PipelineSpec& pipeline, std::string_view name);

/// By which messages and traces know a step's workspace.
[[nodiscard]] std::string workspace_name(const PipelineStep& step, std::size_t index);

/// The name in a file of a tensor of which each device has its own: `d<i>.NAME`.
[[nodiscard]] std::string own_name(std::uint32_t device, std::string_view name);

/// Into how many parts a tensor is split, and which of them `device` holds.
[[nodiscard]] std::uint32_t num_parts(const PipelineTensor& tensor, std::uint32_t devices);
[[nodiscard]] std::uint32_t part_on(const PipelineTensor& tensor, std::uint32_t device);

/// The shape with extents of 1 before it, up to `rank` of them.
[[nodiscard]] Shape with_rank(Shape shape, std::size_t rank);

/// Judges a tensor that is joined from others: they are there, and their extents add up to its own.
/// Parts of a lower rank have leading extents of 1.
/// Errors   UsageError.
void check_join(const PipelineSpec& pipeline, const PipelineTensor& tensor);

/// What every device holds of a tensor that no step makes.
/// Errors   UsageError if the axis does not split over `devices`.
[[nodiscard]] TensorSpec device_spec(const PipelineTensor& tensor, std::uint32_t devices);

/// Bytes of host memory that the values of the pipeline's tensors take at most at one time: those
/// that every device holds alike are held once.
[[nodiscard]] std::uint64_t host_bytes(const PipelineSpec& pipeline, std::uint32_t devices);

/// Where the operands of a step that share a launch, and of those after it, end: steps
/// [first, end_of_launch) are launched together.
[[nodiscard]] std::size_t end_of_launch(const PipelineSpec& pipeline, std::size_t first);
/// Number of launches of the pipeline.
[[nodiscard]] std::size_t num_launches(const PipelineSpec& pipeline);
/// Of the launch that begins with a step: its own, or that of a step alone.
[[nodiscard]] const std::string& launch_name(const PipelineSpec& pipeline, std::size_t first);
/// Names of all launches, in order.
[[nodiscard]] std::vector<std::string> launch_names(const PipelineSpec& pipeline);

}  // namespace tessera::pipeline
