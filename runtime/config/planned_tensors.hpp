// SPDX-License-Identifier: Apache-2.0
// Tensors of a pipeline while its steps are planned: spec, placement and devices of each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "ops/op.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "tessera/memory_config.hpp"

namespace tessera::config {

/// Tensor after the steps that are planned so far.
struct PlannedTensor {
    ops::TensorPlan plan;
    bool is_open = false;             ///< its first reader may choose the layout in memory
    bool is_known = true;             ///< false: its step has a mistake, which is reported there
    std::set<std::uint32_t> devices;  ///< empty: all
    std::string maker = {};           ///< its step; empty for inputs of the run
    /// Ops that read an input of the run. Those of the parts of a step are not among them.
    std::set<const ops::Op*> readers = {};
};
using PlannedTensors = std::map<std::string, PlannedTensor, std::less<>>;

/// Returns a plan in the stated memory, with its shards. Those in DRAM without a grid are in all
/// banks.
/// Errors   UsageError as make_shard_spec, and for an interleaved tensor with the shape of a shard.
[[nodiscard]] ops::TensorPlan placed(const TensorSpec& spec, MemoryConfig memory,
                                     const ArchSpec& arch);

/// Plans the input tensors: their parts on each device, in the stated memory. Records mistakes.
[[nodiscard]] PlannedTensors plan_tensors(PipelineBinder& binder);

/// Adds the plans of the step's inputs and returns whether all are known. Missing tensors are
/// recorded as mistakes.
[[nodiscard]] bool gather_inputs(PipelineBinder& binder, pipeline::PipelineStep& step,
                                 const PlannedTensors& planned);

/// Lets the op choose the layout of input tensors for which the run file states none, such as
/// weights sharded over banks. A tensor that another op reads, too, stays interleaved; later steps
/// with the same op must take the layout. The parts of a step choose for the whole.
void place_open_inputs(pipeline::PipelineStep& step, const ops::OpContext& context,
                       PlannedTensors& planned);

}  // namespace tessera::config
