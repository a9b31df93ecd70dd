// SPDX-License-Identifier: Apache-2.0
// The host's description of one launch: kernels, circular buffers, semaphores and arguments on
// sets of cores. Names and rules follow TT-Metalium's host API. Holds no machine state.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/core_coord.hpp"
#include "tessera/data_format.hpp"
#include "tessera/processor.hpp"
#include "tessera/tile.hpp"

namespace tessera {

struct Buffer;

enum class DataMovementProcessor : std::uint8_t { RISCV_0 = 0, RISCV_1 = 1 };
enum class NOC : std::uint8_t {
    NOC_0 = 0,
    NOC_1 = 1,
    RISCV_0_default = NOC_0,
    RISCV_1_default = NOC_1
};

using Defines = std::map<std::string, std::string>;
using NamedCompileArgs = std::map<std::string, std::uint32_t>;

struct DataMovementConfig {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    std::vector<std::uint32_t> compile_args;
    Defines defines;
    NamedCompileArgs named_compile_args;
};

/// RISCV_1 on NoC 0.
[[nodiscard]] DataMovementConfig ReaderDataMovementConfig(
    std::vector<std::uint32_t> compile_args = {}, Defines defines = {});
/// RISCV_0 on NoC 1.
[[nodiscard]] DataMovementConfig WriterDataMovementConfig(
    std::vector<std::uint32_t> compile_args = {}, Defines defines = {});

/// How copies of a circular buffer's Float32 tiles reach DST: through SrcA, which holds TF32, or
/// straight and with all bits. The latter needs fp32_dest_acc_en and shuts the matrix unit out.
enum class UnpackToDestMode : std::uint8_t { UnpackToDestFp32, Default };

struct ComputeConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    std::vector<UnpackToDestMode> unpack_to_dest_mode;  ///< by CB index; Default behind its end
    bool math_approx_mode = false;
    std::vector<std::uint32_t> compile_args;
    Defines defines;
    NamedCompileArgs named_compile_args;
};

using KernelConfig = std::variant<DataMovementConfig, ComputeConfig>;
using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;

using KernelHandle = std::uint32_t;
using CBHandle = std::uint32_t;

[[nodiscard]] CoreRangeSet to_core_range_set(const CoreSpec& spec);

/// One circular buffer allocation, shared by the indices it lists.
class CircularBufferConfig {
public:
    /// Errors   UsageError if the size is 0, no index is listed, an index is above 63 or has an
    ///          invalid format. Whether the device has that many CBs is checked at launch.
    CircularBufferConfig(std::uint32_t total_size, std::map<std::uint8_t, DataFormat> formats);

    /// Errors   UsageError if `page_size` is 0, does not divide the total size, or `index` has no
    ///          format.
    CircularBufferConfig& set_page_size(std::uint8_t index, std::uint32_t page_size);
    /// Gives the tiles of `index` another shape than 32×32: the units unpack and pack them so.
    /// Errors   UsageError if `index` has no format.
    CircularBufferConfig& set_tile_dims(std::uint8_t index, const Tile& tile);
    /// Returns the shape of an index's tiles.
    [[nodiscard]] Tile tile_of(std::uint8_t index) const;
    /// Lays the circular buffer over a core's shards of `buffer`; it takes no L1 of its own.
    /// Errors   UsageError if `buffer` is not sharded in L1, or a core's shards are smaller than
    ///          the total size.
    CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);

    std::uint32_t total_size = 0;
    std::map<std::uint8_t, DataFormat> formats;
    std::map<std::uint8_t, std::uint32_t> page_sizes;
    std::map<std::uint8_t, Tile> tiles;  ///< of indices whose tiles are not 32×32
    std::optional<std::uint32_t> globally_allocated_address;
};

struct KernelDescription {
    std::string source;  ///< path as given, e.g. "ops/moe_bmm/kernels/reader.cpp"
    std::string text;    ///< source text instead of a file (CreateKernelFromString), or empty
    CoreRangeSet cores;
    KernelConfig config;
    std::map<CoreCoord, std::vector<std::uint32_t>> runtime_args;
    std::vector<std::uint32_t> common_args;

    [[nodiscard]] Processor processor() const;
    [[nodiscard]] const std::vector<std::uint32_t>& compile_args() const;
    [[nodiscard]] const Defines& defines() const;
    [[nodiscard]] const NamedCompileArgs& named_compile_args() const;
};

struct CircularBufferDescription {
    CoreRangeSet cores;
    CircularBufferConfig config;
};

struct SemaphoreDescription {
    CoreRangeSet cores;
    std::uint32_t id = 0;
    std::uint32_t initial_value = 0;
    std::string name;  ///< as messages call it; empty: by its id
};

/// One launch. Built by the functions below, read by the launcher.
struct Program {
    std::vector<KernelDescription> kernels;
    std::vector<CircularBufferDescription> circular_buffers;
    std::vector<SemaphoreDescription> semaphores;
};

[[nodiscard]] inline Program CreateProgram() {
    return {};
}

/// Adds a kernel.
/// Errors   UsageError if one of the cores already has a kernel on that processor, or another
///          data movement kernel on the same NoC; or if a compute kernel unpacks Float32 to a
///          16-bit DST, or names more than 64 CBs.
KernelHandle CreateKernel(Program& program, std::string source, const CoreSpec& cores,
                          KernelConfig config);
/// As CreateKernel, from source text; `name` stands for the path in messages.
KernelHandle CreateKernelFromString(Program& program, std::string text, const CoreSpec& cores,
                                    KernelConfig config, std::string name = "<string>");

/// Adds a circular buffer: same address on all its cores, chosen at launch.
/// Errors   UsageError if an index has no page size, or is taken on one of the cores.
CBHandle CreateCircularBuffer(Program& program, const CoreSpec& cores, CircularBufferConfig config);

/// Takes the lowest semaphore id that is free on all cores; written at every launch.
/// (tt-metal takes the maximum over the rectangles of each one's lowest id, which can hand out an
/// id that another rectangle already uses; both agree wherever that one is sound.)
/// Errors   UsageError if no id is free on all cores: at the 17th on a core.
std::uint32_t CreateSemaphore(Program& program, const CoreSpec& cores, std::uint32_t initial_value);

/// Sets the unique arguments of a kernel on each core of `cores`.
/// Errors   UsageError if the kernel is not on one of the cores, if the number differs from an
///          earlier call on that core, or if it exceeds 341 words together with common arguments.
void SetRuntimeArgs(Program& program, KernelHandle kernel, const CoreSpec& cores,
                    std::vector<std::uint32_t> args);
/// Sets the arguments shared by all cores of a kernel; once per kernel.
/// Errors   UsageError at a second call, or beyond 341 words together with unique arguments.
void SetCommonRuntimeArgs(Program& program, KernelHandle kernel, std::vector<std::uint32_t> args);

}  // namespace tessera
