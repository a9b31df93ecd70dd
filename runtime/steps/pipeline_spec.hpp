// SPDX-License-Identifier: Apache-2.0
// Description of a pipeline, as a run file states it: tensors, and steps from tensors to tensors.
// No code here depends on the name of an op. runtime/config reads the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/origin.hpp"
#include "emu/base/random_routing.hpp"
#include "ops/parameters.hpp"
#include "ops/tensor_plan.hpp"
#include "runtime/steps/expression.hpp"
#include "tessera/memory_config.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {
struct Op;
}  // namespace tessera::ops

namespace tessera::pipeline {

/// Source of the values of an input tensor, one that no step makes. A tensor of a file of inputs
/// (--inputs) replaces the values of its name, whatever their origin.
enum class OriginKind : std::uint8_t {
    Normal,          ///< nearly normal numbers; random bits in integer formats
    Routing,         ///< (T,K) experts that tokens select
    RoutingWeights,  ///< (T,K) weights of these experts
    RoutingLogits,   ///< (T,E) scores with which a router selects these experts
    ExpertMapping,   ///< (D,⌈E/D⌉) ids of each device's experts, −1 in slots without one
    ExpertMap,       ///< (E) for each device: the expert's index among its own experts, or −1
    ExpertPlaces,    ///< (E) device · slots + index of each expert, from the maps of all devices
    Zeros,
    Constant,
    Join,   ///< concatenation of other tensors
    Index,  ///< an expression of each element's index
    File,
    Checkpoint,  ///< tensors of a model's files, by the model's names
};

/// Allowed values of drawn elements, for functions with a pole at 0: NotZero moves values between
/// −1/8 and 1/8 away from 0, Positive has values of at least 1/8.
enum class Domain : std::uint8_t { All, NotZero, Positive };

/// Origin of a tensor's values, with the parameters of its kind.
struct TensorOrigin {
    OriginKind kind = OriginKind::Normal;
    double stddev = 1;
    std::uint32_t fan_in = 0;  ///< if not 0, stddev is 1/√fan_in, so that sums keep their size
    Domain domain = Domain::All;
    std::uint32_t experts = 0;  ///< for ExpertMapping: 0 if no slot is empty
    std::uint32_t top_k = 0;    ///< for RoutingLogits: number of experts of a token
    RoutingKind routing = RoutingKind::Zipf;
    double zipf_exponent = 1;
    RoutingWeights weights = RoutingWeights::Softmax;
    ExpertMapping mapping = ExpertMapping::Contiguous;
    double value = 0;                ///< for Constant
    std::vector<std::string> parts;  ///< for Join: names of the concatenated tensors
    std::uint32_t axis = 0;          ///< for Join: axis of the concatenation
    std::string map;                 ///< for ExpertPlaces: name of the maps
    std::uint32_t slots = 0;         ///< for ExpertPlaces: of each device
    std::string index;               ///< for Index: an expression over i
    /// For Index: names of the run file that the expression may use.
    std::shared_ptr<const Scope> names = nullptr;
    std::string file;    ///< for File: path, absolute or relative to the run file
    std::string tensor;  ///< for File: name in the file; empty: the tensor's own name
    /// For Checkpoint: folder or file, absolute or relative to the run file.
    std::string checkpoint;
    /// For Checkpoint: names of stored tensors, one below the other; * is the index of the first
    /// axis.
    std::vector<std::string> tensors;
    bool transposed = false;  ///< for Checkpoint: stored matrices are (columns, rows)
    bool largest = false;     ///< for Checkpoint: the largest of all stored numbers
    bool inverse = false;     ///< for Checkpoint: stored numbers are divisors
};

/// Groups of devices that execute a step in parallel; all groups have the same number of devices.
using DeviceGroups = std::vector<std::vector<std::uint32_t>>;

/// Part of a tensor that each device holds.
enum class Distribution : std::uint8_t {
    Replicated,  ///< the whole tensor
    Each,        ///< a tensor of its own, with values drawn for this device
    Split,       ///< its part along one axis
};

/// Input tensor of a pipeline: no step makes it.
struct PipelineTensor {
    std::string name;
    TensorSpec spec;  ///< spec of the whole tensor, before it is split
    MemoryConfig memory;
    bool has_memory = false;  ///< if false, the op that reads the tensor may choose `memory`
    Distribution distribution = Distribution::Replicated;
    std::uint32_t split_axis = 0;
    /// Name of an int32 tensor that assigns indices to devices:
    /// - (D, n), whose row d lists the indices of device d, −1 for none; or
    /// - a tensor with `Distribution::Each` that maps every index to its position on the device, or
    ///   −1.
    ///
    /// Empty: equal contiguous parts in the order of devices.
    std::string split_by;
    /// Indices that a device has space for; 0: equal parts of all. With `split_by` only.
    std::uint32_t split_extent = 0;
    std::string split_over;  ///< name of groups whose devices hold all parts; empty: all devices
    DeviceGroups split_groups;
    bool drops_axis = false;  ///< each device holds one index of the axis; its tensor has no axis
    TensorOrigin origin;
    bool persistent = false;  ///< outlives the run, in the file of --state
    std::string stored_as;    ///< name in files, with ${device} for the device; empty: `name`
    bool is_packed = false;   ///< files hold the bytes of its pages, not its values
    config::Origin place;     ///< position of the name in the run file, for messages
};

/// Tensor that a step writes. Members without a value are inferred by the op.
struct StepOutput {
    std::string name;
    std::optional<Shape> shape;
    std::optional<DataFormat> format;
    std::optional<Layout> layout;
    std::optional<Tile> tile;
    std::optional<MemoryConfig> memory;
    std::string workspace;  ///< name of the workspace that holds it; empty: memory of its own
    config::Origin place;
};

/// Tensor in a workspace, needed by steps [first_step, end_step).
struct WorkspaceTensor {
    std::string name;
    std::uint64_t bytes = 0;   ///< in each bank
    std::uint64_t offset = 0;  ///< in each bank
    std::size_t first_step = 0;
    std::size_t end_step = 0;
};

/// Memory that outputs of several steps share, allocated during steps [first_step, end_step).
struct Workspace {
    std::string name;
    std::uint64_t bytes = 0;  ///< in each bank
    std::size_t first_step = 0;
    std::size_t end_step = 0;
    std::vector<WorkspaceTensor> tensors;
};

/// One execution of an op on groups of devices.
struct PipelineStep {
    std::string name;
    std::shared_ptr<const ops::Op> op;
    ops::ParameterSet parameters;
    std::vector<std::string> inputs;
    std::vector<StepOutput> outputs;
    /// Groups of devices. Devices of a group work together; groups do not communicate.
    DeviceGroups groups;
    CoreCoord first_core;  ///< offset that is added to the cores of the op's programs
    /// Name of the launch; consecutive steps with the same name share one. Empty: the step's name.
    std::string launch;
    /// Later step, or part of one, whose launch this step joins; empty: none.
    std::string beside;
    config::Origin place;
    config::Origin inputs_place;

    // Filled in when the pipeline is planned; the same on every device.
    std::vector<ops::TensorPlan> input_plans;
    std::vector<ops::TensorPlan> output_plans;
    std::vector<ops::TensorPlan> workspace_plans;
    std::string schedule;  ///< words for reports
};

/// How tensors of several devices become tensors of the file of outputs.
enum class FileJoin : std::uint8_t {
    None,   ///< one tensor for each device
    Join,   ///< concatenates the tensors of a group along the first axis
    Stack,  ///< stacks the tensors of a group along a new first axis
};

/// Tensor in the file of outputs.
struct FileOutput {
    std::string tensor;
    /// Name in the file, with ${device} for the device's number; a name without ${device} stores
    /// the tensor of the first device. Empty: d<i>.TENSOR, or TENSOR if all devices hold the same.
    std::string name;
    std::uint32_t rows = 0;  ///< stored indices of the first axis; 0: all
    bool is_packed = false;  ///< the file gets the bytes of pages, not values
    FileJoin join = FileJoin::None;
    std::vector<std::uint32_t> devices;  ///< the group, unless FileJoin::None
    config::Origin place = {};
};

/// Steps or tensors that reports sum under one name; `*` in a pattern matches any letters.
struct NamedPatterns {
    std::string name;
    std::vector<std::string> patterns;
};

/// The section `report:` of a run file.
struct ReportSpec {
    std::uint64_t tokens = 0;           ///< tokens of a run, over all devices; 0: not stated
    std::vector<NamedPatterns> stages;  ///< patterns of step names
    std::vector<NamedPatterns> memory;  ///< patterns of input tensors
};

/// Named value of a run file, `params:`.
struct PipelineParam {
    std::string name;
    Value value;
    bool is_derived = false;  ///< it follows from other params (`follows:`) and cannot be set
};

/// Whole pipeline of a run file.
struct PipelineSpec {
    std::vector<PipelineParam> params;
    std::vector<std::string> unread_params;  ///< params that no expression of this pipeline uses
    std::vector<PipelineTensor> tensors;
    std::vector<PipelineStep> steps;
    /// Steps that planning replaced by their parts (Op::parts); the values they read are checked.
    std::vector<PipelineStep> replaced_steps;
    std::vector<FileOutput> outputs;    ///< contents of the file of outputs
    std::vector<Workspace> workspaces;  ///< filled in when the pipeline is planned
    std::vector<std::string> kernels;   ///< sources of all programs; filled in when planned
    ReportSpec report;
    bool has_plain_names = false;  ///< on one device, names in files have no prefix "d0."
    std::uint64_t seed = 0;
    std::string folder;  ///< folder of the run file, to which its paths are relative
    /// Whether the folder is removed after the run, so that results name no file in it.
    bool hides_folder = false;
};

/// Returns `pattern` with the device's number for ${device}.
[[nodiscard]] std::string name_on(std::string pattern, std::uint32_t device);

/// Tensor of the file of outputs, the devices whose tensors it is made of, and its entry of
/// `outputs:`.
struct StoredOutput {
    std::string name;
    std::vector<std::uint32_t> devices;
    const FileOutput* entry;
};
/// Returns the tensors of the file that hold output `index` of a step, by all entries of
/// `outputs:`.
[[nodiscard]] std::vector<StoredOutput> stored_outputs(const PipelineSpec& pipeline,
                                                       const PipelineStep& step, std::size_t index,
                                                       std::uint32_t num_devices);

/// Returns the input tensor of that name, or null.
[[nodiscard]] const PipelineTensor* find_tensor(const PipelineSpec& pipeline,
                                                std::string_view name);

/// Returns whether a step from `first_step` on reads the tensor.
[[nodiscard]] bool is_read_from(const PipelineSpec& pipeline, std::string_view name,
                                std::size_t first_step);

/// Returns whether the host reads the step's input from the device before it builds the programs.
[[nodiscard]] bool is_read_back(const PipelineStep& step, std::size_t input);

/// Returns the layout that the first reader of the tensor plans for it; null if no step reads it.
[[nodiscard]] const ops::TensorPlan* plan_of_input(const PipelineSpec& pipeline,
                                                   std::string_view name);

/// Returns whether the tensor is kept for a later run.
[[nodiscard]] bool outlives_the_run(const PipelineSpec& pipeline, std::string_view name);

/// Returns the name of a step's own workspace in messages and traces.
[[nodiscard]] std::string workspace_name(const PipelineStep& step, std::size_t index);

/// Returns the name in files of a tensor that differs between devices: `d<i>.NAME`.
[[nodiscard]] std::string own_name(std::uint32_t device, std::string_view name);

/// Returns the number of parts into which a tensor is split.
[[nodiscard]] std::uint32_t num_parts(const PipelineTensor& tensor, std::uint32_t devices);
/// Returns the part that `device` holds.
[[nodiscard]] std::uint32_t part_on(const PipelineTensor& tensor, std::uint32_t device);

/// Returns the shape with leading extents of 1, so that it has at least `rank` extents.
[[nodiscard]] Shape with_rank(Shape shape, std::size_t rank);

/// Checks what an input tensor's origin needs: parts and maps exist and fit, no join contains itself,
/// and the format holds the values. An index expression is checked for the first elements and the
/// last.
/// Errors   UsageError.
void check_origin(const PipelineSpec& pipeline, const PipelineTensor& tensor);

/// Returns the value of an index expression for element `i`. `scope` has the names that it uses.
/// Errors   UsageError if the format of the tensor does not hold the value.
[[nodiscard]] std::int64_t index_value(const PipelineTensor& tensor, std::size_t i, Scope& scope);

/// Returns what every device holds of an input tensor.
/// Errors   UsageError if the axis does not split over `devices`, or split_extent has no split_by.
[[nodiscard]] TensorSpec device_spec(const PipelineTensor& tensor, std::uint32_t devices);

/// Returns the largest number of bytes of host memory that the pipeline's values take at one time,
/// with an eighth more for what a run holds beside them. The host holds values once if every device
/// holds the same.
[[nodiscard]] std::uint64_t host_bytes(const PipelineSpec& pipeline, std::uint32_t devices);

/// Returns the step after the launch that begins with `first`: steps [first, end) run together.
[[nodiscard]] std::size_t end_of_launch(const PipelineSpec& pipeline, std::size_t first);
/// Returns the number of launches of the pipeline.
[[nodiscard]] std::size_t num_launches(const PipelineSpec& pipeline);
/// Returns the name of the launch that begins with step `first`.
[[nodiscard]] const std::string& launch_name(const PipelineSpec& pipeline, std::size_t first);
/// Returns the names of all launches, in order.
[[nodiscard]] std::vector<std::string> launch_names(const PipelineSpec& pipeline);

/// Returns the name of the step's op.
[[nodiscard]] std::string_view op_name(const PipelineStep& step);

/// Returns whether the op's kernels come from outside of Tessera: a `program:`, or a folder of
/// `ops:`. Kernels that `--kernel` replaces are not known here.
[[nodiscard]] bool has_own_kernels(const PipelineStep& step);

}  // namespace tessera::pipeline
