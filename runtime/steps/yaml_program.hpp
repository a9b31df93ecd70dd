// SPDX-License-Identifier: Apache-2.0
// A step's program as a run file describes it: kernels, circular buffers, semaphores and arguments,
// with no host code. Built for each device when its tensors have addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.hpp"
#include "runtime/steps/expression.hpp"
#include "tessera/program.hpp"

namespace tessera::pipeline {

/// Cores of a kernel, a circular buffer or a semaphore.
enum class ProgramCores : std::uint8_t { All, Group1, Group2, Ranges };
struct CoreChoice {
    ProgramCores cores = ProgramCores::All;
    std::vector<CoreRange> ranges;  ///< of Ranges
};

/// A kernel. Arguments are expressions: words over params, tensors, cores and the work split.
struct ProgramKernel {
    std::string path;
    bool is_compute = false;
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    CoreChoice cores;
    std::vector<std::string> compile_args;  ///< "accessor(x)" gives several words
    std::vector<std::string> args;          ///< of each core
    std::vector<std::string> common_args;
    Defines defines;
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc = false;
    bool math_approx_mode = false;
};

struct ProgramBuffer {
    std::uint8_t index = 0;
    DataFormat format = DataFormat::Float16_b;
    Tile tile;
    std::string pages = "2";  ///< number of pages
    std::string page_size;    ///< bytes; empty: a tile
    std::string tensor;       ///< lies over the core's shards of it; empty: has L1 of its own
    CoreChoice cores;
};

struct ProgramSemaphore {
    std::string name;
    std::string initial = "0";
    CoreChoice cores;
};

struct ProgramSpec {
    CoreCoord first;    ///< of the grid
    GridSize grid;      ///< 0×0: all that the device offers
    std::string units;  ///< what split_work_to_cores deals to the grid; empty: no split
    std::vector<ProgramKernel> kernels;
    std::vector<ProgramBuffer> buffers;
    std::vector<ProgramSemaphore> semaphores;
    /// Expression of the inputs; or a file's tensors, by output; or empty: not compared.
    std::string reference;
    std::string reference_file;
    std::string reference_tensor;
};

/// A tensor that a program's step makes.
struct ProgramOutput {
    std::string name;
    ops::TensorPlan plan;
};

/// The op of such a step: its operands have the names of the step's tensors and keep to no
/// contract.
///
/// Names in arguments: the params; D and device; core.x, core.y, core.index, core.first, core.count
/// and core.group as split_work_to_cores deals the units; num_cores, units_per_core_group_1 and _2,
/// cores_in_group_1 and _2; a semaphore's name (its id). Functions of a tensor's name: address,
/// accessor (compile-time arguments only), tiles, pages, page_size, rows, columns, extent(x, i).
/// Of coordinates: virtual_x(x), virtual_y(y).
/// Errors   UsageError when programs are built: an expression, or a rule of CreateKernel,
///          CreateCircularBuffer, CreateSemaphore.
[[nodiscard]] std::shared_ptr<const ops::Op> make_program_op(
    const std::string& step, ProgramSpec program, std::vector<std::string> inputs,
    std::vector<ProgramOutput> outputs, const Scope& params, const std::string& folder);

}  // namespace tessera::pipeline
