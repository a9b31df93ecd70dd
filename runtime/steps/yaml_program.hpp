// SPDX-License-Identifier: Apache-2.0
// Program of a step as a run file describes it: kernels, circular buffers, semaphores and
// arguments, without host code. It is built for each device when the device's tensors have
// addresses.
#pragma once

#include <cstdint>
#include <map>
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

/// A kernel. Its arguments are expressions over params, tensors, cores and the work split.
struct ProgramKernel {
    std::string path;
    bool is_compute = false;
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    CoreChoice cores;
    std::vector<std::string> compile_args;  ///< "accessor(x)" gives several words
    std::map<std::string, std::string> named_compile_args;
    std::vector<std::string> args;  ///< evaluated for each core
    std::vector<std::string> common_args;
    Defines defines;
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc = false;
    bool math_approx_mode = false;
};

/// A circular buffer.
struct ProgramBuffer {
    std::uint8_t index = 0;
    DataFormat format = DataFormat::Float16_b;
    Tile tile;
    std::string pages = "2";  ///< number of pages
    std::string page_size;    ///< bytes; empty: a tile
    std::string tensor;       ///< the CB uses the core's shard of this tensor; empty: own L1
    CoreChoice cores;
};

/// A semaphore; its name is its id in kernel arguments.
struct ProgramSemaphore {
    std::string name;
    std::string initial = "0";
    CoreChoice cores;
};

/// Program of one step.
struct ProgramSpec {
    CoreCoord first;    ///< first core of the grid
    GridSize grid;      ///< 0×0: the whole grid of the device
    std::string units;  ///< units that split_work_to_cores distributes; empty: no split
    std::vector<ProgramKernel> kernels;
    std::vector<ProgramBuffer> buffers;
    std::vector<ProgramSemaphore> semaphores;
    std::vector<std::string> include_folders;
    /// Reference: an expression of the inputs, or a file with a tensor for each output. If both are
    /// empty, outputs are not compared.
    std::string reference;
    std::string reference_file;
    std::string reference_tensor;  ///< name in the file; empty: the output's name
};

/// Output tensor of a program's step.
struct ProgramOutput {
    std::string name;
    ops::TensorPlan plan;
};

/// Returns the op of such a step. Its operands have the names of the step's tensors, and any format
/// and layout.
///
/// Names       in arguments: the params; D and device; core.x, core.y, core.index, core.first,
///             core.count and core.group of the split by split_work_to_cores; num_cores,
///             units_per_core_group_1 and _2, cores_in_group_1 and _2; a semaphore's name (its id).
/// Functions   of a tensor's name: address, accessor (compile-time arguments only), tiles, pages,
///             page_size, aligned_page_size, rows, columns, extent(x, i); of a logical coordinate:
///             virtual_x(x), virtual_y(y).
/// Errors      UsageError when programs are built: an invalid expression, or a rule of
///             CreateKernel, CreateCircularBuffer or CreateSemaphore.
[[nodiscard]] std::shared_ptr<const ops::Op> make_program_op(
    const std::string& step, ProgramSpec program, std::vector<std::string> inputs,
    std::vector<ProgramOutput> outputs, const Scope& params, const std::string& folder);

}  // namespace tessera::pipeline
