// SPDX-License-Identifier: Apache-2.0
// The interface of ops: an op is a value. All code that lists, binds, checks, documents, runs or
// tests ops iterates over the registry of these values and depends on no op's name.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emu/base/fields/field.hpp"
#include "ops/op_spec.hpp"
#include "ops/parameters.hpp"
#include "ops/tensor_plan.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/errors.hpp"
#include "tessera/least_work.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Context in which an op is judged and its programs are built.
struct OpContext {
    const ArchSpec& arch;
    const MeshSpec& mesh;
    std::span<const std::uint32_t> devices;  ///< the group's, in order of their positions in it
    ParameterRef parameters;
    /// By operand, in the order of the spec; optional ones may be missing (is_given). `outputs` are
    /// empty while they are inferred.
    std::span<const TensorPlan> inputs;
    std::span<const TensorPlan> outputs = {};
    /// [operand][position in the group]; of programs only.
    std::span<const std::vector<DeviceTensor>> device_inputs = {};
    std::span<const std::vector<DeviceTensor>> device_outputs = {};
    /// [operand][position]: values of operands with HostRead::Yes; of programs only.
    std::span<const std::vector<HostTensor>> host_inputs = {};

    template <class P>
    [[nodiscard]] const P& params() const {
        return parameters.as<P>();
    }
    [[nodiscard]] bool has(std::size_t operand) const { return is_given(inputs, operand); }
    /// Returns the tensors of Op::workspaces, which follow the outputs. Of programs only.
    [[nodiscard]] std::span<const std::vector<DeviceTensor>> workspaces() const {
        return device_outputs.subspan(outputs.size());
    }
    [[nodiscard]] std::span<const std::uint32_t> host_counts(std::size_t operand,
                                                             std::size_t position) const {
        const auto& values = host_inputs[operand];
        return values.empty() ? std::span<const std::uint32_t>{}
                              : values.at(position).as<std::uint32_t>();
    }
};

/// Collects what does not hold. `blamed` is the key of a parameter ("k_block", "in0.placement") or
/// the name of an operand.
class RuleJudge {
public:
    virtual ~RuleJudge() = default;
    virtual void require(bool holds, std::string_view blamed, const std::string& text) = 0;
};

/// Judges what the host side finds while it plans: the text of a UsageError that `plan` throws.
void judge_plan(RuleJudge& judge, std::string_view blamed, const std::function<void()>& plan);

/// Records keys that the algorithm of `parameters` does not use. Each of them must have its
/// default; otherwise a user would set it, observe no change and not know why.
void judge_untaken(std::span<const config::Field> fields, ParameterRef parameters,
                   std::span<const std::string_view> untaken, std::string_view algorithm,
                   RuleJudge& judge);

/// One input of a step, wherever its values are. References read no more of it than they need: all
/// experts' rows together need not fit on the host.
class OperandValues {
public:
    virtual ~OperandValues() = default;
    [[nodiscard]] virtual const Shape& shape() const = 0;
    [[nodiscard]] virtual HostTensor all() const = 0;
    /// Returns at least the first `count` rows of matrix `index` of a stack.
    /// Shapes   (N, R, C) gives (1, rows, C), count ≤ rows ≤ R.
    [[nodiscard]] virtual HostTensor first_rows(std::uint32_t index, std::uint32_t count) const = 0;
    /// Returns the rows [first, first + count) of all matrices of a stack, counted through.
    /// Shapes   (N, R, C) gives (1, count, C).
    /// Precondition   `count` divides `first` and R; of tiles, 32 divides `count`, or it is R.
    [[nodiscard]] virtual HostTensor rows(std::uint64_t first, std::uint32_t count) const = 0;
};

/// Context from which a reference is computed.
struct ReferenceContext {
    ParameterRef parameters;
    std::size_t position = 0;  ///< position of the device in the group
    /// [operand][position]: a collective looks at other devices' tensors too.
    std::span<const std::vector<std::shared_ptr<const OperandValues>>> inputs;
    std::span<const TensorPlan> outputs;

    template <class P>
    [[nodiscard]] const P& params() const {
        return parameters.as<P>();
    }
    [[nodiscard]] bool has(std::size_t operand) const { return is_given(inputs, operand); }
    [[nodiscard]] const OperandValues& in(std::size_t operand) const {
        return *inputs[operand].at(position);
    }
    [[nodiscard]] HostTensor read(std::size_t operand) const { return in(operand).all(); }
    /// Returns the tensors of every device of the group.
    [[nodiscard]] std::vector<HostTensor> read_all(std::size_t operand) const;
    [[nodiscard]] std::vector<std::uint32_t> counts(std::size_t operand) const;
};

/// Elements [first, first + count) of a tensor, counted through.
struct ElementRange {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// Context from which the least work of a call on one device is computed, after its launch.
struct BoundContext {
    const OpSpec& spec;
    ParameterRef parameters;
    std::size_t position = 0;     ///< of the device in the group
    std::size_t num_devices = 1;  ///< of the group
    std::span<const TensorPlan> input_plans;
    std::span<const TensorPlan> output_plans;
    /// [operand][position]. Integers are valid in a run for times alone, too; other numbers are
    /// not.
    std::span<const std::vector<std::shared_ptr<const OperandValues>>> inputs;
    std::span<const std::vector<std::shared_ptr<const OperandValues>>> outputs;
    /// Returns the counts of the operand's valid rows on this device; empty: all rows are valid.
    std::function<std::vector<std::uint32_t>(const Operand& operand)> counts;
    /// Op::valid of the call; empty if the op has none.
    std::vector<std::vector<ElementRange>> valid = {};

    template <class P>
    [[nodiscard]] const P& params() const {
        return parameters.as<P>();
    }
    [[nodiscard]] bool has(std::size_t operand) const { return is_given(input_plans, operand); }
    [[nodiscard]] const TensorSpec& in(std::size_t operand) const {
        return input_plans[operand].spec;
    }
    [[nodiscard]] const TensorSpec& out(std::size_t operand) const {
        return output_plans[operand].spec;
    }
    /// Returns the values of an input of 32-bit integers.
    [[nodiscard]] std::vector<std::int32_t> integers(std::size_t operand) const;
};

/// A step that an op made of others takes, as a run file would say it.
struct PartStep {
    std::string name;  ///< after the name of the whole step and a dot
    std::string op;
    /// Operands of the whole op by their names, or tensors that parts make: those get the name of
    /// the whole step and a dot before theirs.
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    /// Parameters as YAML would have them; those of the run file's `set:` for the op follow.
    std::vector<std::pair<std::string, std::string>> set;
    /// By output: the workspace that it shares with other parts' outputs, which are not needed at
    /// the same time. Missing or empty: its own memory.
    std::vector<std::string> workspaces = {};
};

/// Returns Op::valid of an op whose rows (all extents except the last) either count or do not.
/// `counted` returns flags of rows for each output; no flags mean that all rows count.
[[nodiscard]] std::function<std::vector<std::vector<ElementRange>>(const ReferenceContext&)>
valid_of_rows(
    std::function<std::vector<std::vector<bool>>(const ReferenceContext& context)> counted);

struct Op {
    OpSpec spec;
    Parameters params = {};
    /// Returns the words that a report shows for the schedule: "multi_core, block"; empty: the
    /// spec's first. It may depend on shapes.
    /// Precondition   contract and rules hold.
    std::function<std::string(const OpContext& context)> schedule = {};
    /// Rules across parameters and operands. They are checked after the contract, so operands
    /// satisfy it.
    std::function<void(const OpContext& context, RuleJudge& judge)> rules = {};
    /// Returns the placement of inputs for these parameters, if a run leaves it open; empty:
    /// interleaved in DRAM.
    std::function<std::vector<TensorPlan>(const OpContext& context)> place_inputs = {};
    /// Returns the outputs from inputs that keep to the contract. A run may ask for another format
    /// or memory of an output where the spec leaves it open.
    std::function<std::vector<TensorPlan>(const OpContext& context)> infer = {};
    /// Returns the tensors that the programs need for themselves on each device, allocated after
    /// the outputs and given as further `device_outputs`.
    std::function<std::vector<TensorPlan>(const OpContext& context)> workspaces = {};
    /// Returns whether the programs need the values that the host reads back of operands with
    /// HostRead::Yes; empty: always.
    std::function<bool(ParameterRef parameters)> reads_back = {};
    /// Returns one program for each device of the group, launched together.
    /// Precondition   contract and rules hold.
    std::function<std::vector<DeviceProgram>(const OpContext& context)> programs = {};
    /// Returns, in place of programs, the steps that replace this one, on the same devices. The
    /// last of them that write the op's outputs leave what the reference says.
    /// Precondition   contract and rules hold.
    std::function<std::vector<PartStep>(const OpContext& context)> parts = {};
    /// Returns the least work of one device: no schedule of the op does less. Empty: the bytes of
    /// all operands (bound.hpp).
    std::function<LeastWork(const BoundContext& context)> bound = {};
    /// Returns the expected outputs of the device at `position`, as float32, or in the output's
    /// format if the tolerance is exact. An output with `valid_rows` may hold these rows only, one
    /// after another, under the output's own shape.
    std::function<std::vector<HostTensor>(const ReferenceContext& context)> reference = {};
    /// Returns the valid elements of each output, ascending, if no operand of counts states them
    /// (Operand::valid_rows): for example rows between those of two experts. The reference then
    /// gives whole outputs.
    std::function<std::vector<std::vector<ElementRange>>(const ReferenceContext& context)> valid =
        {};
    /// Checks the values of inputs that no other step computes: ids in range, and the like.
    std::function<void(const ReferenceContext& context)> check_values = {};
    /// Inputs whose values check_values reads. It is called if no step computes one of them, and
    /// has only the shapes of each other input. Empty: all.
    std::vector<std::size_t> checked_inputs = {};
    /// Parameters that must equal the parameter of the same name of the step that makes an operand:
    /// a combine returns rows by the numbers of its dispatch.
    struct SharedParameter {
        std::string_view parameter;
        std::size_t operand;
    };
    std::vector<SharedParameter> shared_parameters = {};
    /// Folder of an op from outside of the tree; kernels "ops/<name>/…" are looked up there.
    std::string folder = {};
};

/// Checks the contract, then the rules.
void judge(const Op& op, const OpContext& context, RuleJudge& judge);

/// A call of an op outside of a pipeline, on all devices of a mesh: by tests and benches.
struct OpCall {
    ParameterRef parameters;
    /// [operand][device].
    std::vector<std::vector<DeviceTensor>> inputs;
    std::vector<std::vector<DeviceTensor>> outputs;
    std::vector<std::vector<DeviceTensor>> workspaces = {};
    /// [operand][device]: what the host reads back of operands with HostRead::Yes.
    std::vector<std::vector<HostTensor>> host_inputs = {};
};

/// Checks contract and rules.
/// Errors   UsageError with all violations, one on each line: "moe_bmm: k_block: …".
void check_call(const Op& op, const ArchSpec& arch, const MeshSpec& mesh, const OpCall& call);

/// Checks a call and builds its programs, one for each device.
/// Errors   as check_call.
[[nodiscard]] std::vector<DeviceProgram> call_programs(const Op& op, const ArchSpec& arch,
                                                       const MeshSpec& mesh, const OpCall& call);
/// Returns the program of one device, by operand. `counts` are the values of the input with
/// HostRead::Yes.
[[nodiscard]] Program call_program(const Op& op, const ArchSpec& arch, ParameterRef parameters,
                                   const std::vector<DeviceTensor>& inputs,
                                   const std::vector<DeviceTensor>& outputs,
                                   const std::vector<std::uint32_t>& counts = {});

/// Returns `programs` of an op whose devices do not communicate: one independent program per
/// device.
[[nodiscard]] std::vector<DeviceProgram> on_each(
    const OpContext& context, const std::function<Program(std::size_t position)>& program);
/// Returns on_each() as a value for Op::programs.
[[nodiscard]] std::function<std::vector<DeviceProgram>(const OpContext&)> on_each(
    Program (*program)(const OpContext& context, std::size_t position));

/// Returns Op::infer of an op whose only output has the spec of the first input.
[[nodiscard]] std::vector<TensorPlan> like_first_input(const OpContext& context);

/// Returns a list of tensors without copying them, as an initializer list would.
template <std::same_as<HostTensor>... Tensors>
[[nodiscard]] std::vector<HostTensor> list_of(Tensors... tensors) {
    std::vector<HostTensor> list;
    list.reserve(sizeof...(tensors));
    (list.push_back(std::move(tensors)), ...);
    return list;
}

}  // namespace tessera::ops
