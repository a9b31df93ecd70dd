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

/// Processor, NoC and compile-time arguments of a data movement kernel.
struct DataMovementConfig {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::RISCV_0_default;
    std::vector<std::uint32_t> compile_args;
    Defines defines;
    NamedCompileArgs named_compile_args;
    friend bool operator==(const DataMovementConfig&, const DataMovementConfig&) = default;
};

/// Returns the configuration of a reader: RISCV_1 on NoC 0.
[[nodiscard]] DataMovementConfig ReaderDataMovementConfig(
    std::vector<std::uint32_t> compile_args = {}, Defines defines = {});
/// Returns the configuration of a writer: RISCV_0 on NoC 1.
[[nodiscard]] DataMovementConfig WriterDataMovementConfig(
    std::vector<std::uint32_t> compile_args = {}, Defines defines = {});

/// Path of a circular buffer's Float32 tiles to DST: through SrcA, which holds TF32 (Default),
/// or directly with all bits. The direct path needs fp32_dest_acc_en and cannot feed the matrix
/// unit.
enum class UnpackToDestMode : std::uint8_t { UnpackToDestFp32, Default };

/// Modes and compile-time arguments of a compute kernel.
struct ComputeConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    std::vector<UnpackToDestMode> unpack_to_dest_mode;  ///< by CB index; Default past its end
    bool math_approx_mode = false;
    std::vector<std::uint32_t> compile_args;
    Defines defines;
    NamedCompileArgs named_compile_args;
    friend bool operator==(const ComputeConfig&, const ComputeConfig&) = default;
};

using KernelConfig = std::variant<DataMovementConfig, ComputeConfig>;
using CoreSpec = std::variant<CoreCoord, CoreRange, CoreRangeSet>;

using KernelHandle = std::uint32_t;
using CBHandle = std::uint32_t;

/// Returns the cores of `spec` as a set of ranges.
[[nodiscard]] CoreRangeSet to_core_range_set(const CoreSpec& spec);

/// One circular buffer allocation, shared by the indices it lists.
class CircularBufferConfig {
public:
    /// Sets total size and formats. `total_size` is in bytes; `formats` has the CB indices and
    /// their formats.
    /// Errors   UsageError if the size is 0, no index is listed, an index is above 63 or has an
    ///          invalid format. A launch checks whether the device has that many CBs.
    CircularBufferConfig(std::uint32_t total_size, std::map<std::uint8_t, DataFormat> formats);

    /// Sets the bytes of one page of `index`.
    /// Errors   UsageError if `page_size` is 0, does not divide the total size, or `index` has no
    ///          format.
    CircularBufferConfig& set_page_size(std::uint8_t index, std::uint32_t page_size);
    /// Sets the shape of the tiles of `index`, which unpack and pack then use. The default is
    /// 32×32.
    /// Errors   UsageError if `index` has no format.
    CircularBufferConfig& set_tile_dims(std::uint8_t index, const Tile& tile);
    /// Returns the shape of the tiles of `index`.
    [[nodiscard]] Tile tile_of(std::uint8_t index) const;
    /// Places the circular buffer over a core's shards of `buffer`, so that it takes no other L1.
    /// Errors   UsageError if `buffer` is not sharded in L1, or a core's shards are smaller than
    ///          the total size.
    CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);

    std::uint32_t total_size = 0;
    std::map<std::uint8_t, DataFormat> formats;
    std::map<std::uint8_t, std::uint32_t> page_sizes;
    std::map<std::uint8_t, Tile> tiles;  ///< tiles other than 32×32, by index
    std::optional<std::uint32_t> globally_allocated_address;
    /// True if a data movement kernel branches on floating-point numbers that a compute kernel
    /// packs here, or that are read from DRAM. A launch without maths (Maths::Off) then fills the
    /// buffer, because nothing else defines its bytes.
    bool steers = false;
    friend bool operator==(const CircularBufferConfig&, const CircularBufferConfig&) = default;
};

/// A kernel of a program: source, cores, configuration and arguments.
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
    friend bool operator==(const KernelDescription&, const KernelDescription&) = default;
};

/// A circular buffer of a program and its cores.
struct CircularBufferDescription {
    CoreRangeSet cores;
    CircularBufferConfig config;
    friend bool operator==(const CircularBufferDescription&,
                           const CircularBufferDescription&) = default;
};

/// Ends of a circular buffer that connects a sender core with receiver cores. Words in the L1 of
/// each core (RemoteBufferWords) keep the state between launches.
struct RemoteBufferDescription {
    CoreRangeSet cores;
    std::uint8_t index = 0;
    std::uint32_t config_address = 0;  ///< L1 address of the words, equal on each core
    std::uint32_t page_size = 0;
    friend bool operator==(const RemoteBufferDescription&,
                           const RemoteBufferDescription&) = default;
};

/// A semaphore of a program and its cores.
struct SemaphoreDescription {
    CoreRangeSet cores;
    std::uint32_t id = 0;
    std::uint32_t initial_value = 0;
    std::string name;  ///< name in messages; empty: the id
    friend bool operator==(const SemaphoreDescription&, const SemaphoreDescription&) = default;
};

/// Kernels, circular buffers and semaphores of one device in one launch. The functions below build
/// it and Session::launch runs it.
struct Program {
    std::vector<KernelDescription> kernels;
    std::vector<CircularBufferDescription> circular_buffers;
    std::vector<SemaphoreDescription> semaphores;
    std::vector<RemoteBufferDescription> remote_buffers;
    /// Folders in which kernels and their headers are searched, besides those of
    /// TESSERA_INCLUDE_PATH and TT_METAL_HOME.
    std::vector<std::string> include_folders;
    friend bool operator==(const Program&, const Program&) = default;
};

/// Returns an empty program.
[[nodiscard]] inline Program CreateProgram() {
    return {};
}

/// Adds a kernel whose source is the file `source`. Returns its handle for SetRuntimeArgs.
/// Errors   UsageError if one of the cores already has a kernel on that processor, or another
///          data movement kernel on the same NoC; or if a compute kernel unpacks Float32 to a
///          16-bit DST, or names more than 64 CBs.
KernelHandle CreateKernel(Program& program, std::string source, const CoreSpec& cores,
                          KernelConfig config);
/// Adds a kernel whose source is `text`. Messages call it `name`.
/// Errors   as CreateKernel.
KernelHandle CreateKernelFromString(Program& program, std::string text, const CoreSpec& cores,
                                    KernelConfig config, std::string name = "<string>");

/// Adds a circular buffer. The launch chooses its L1 address, which is the same on all its cores.
/// Errors   UsageError if an index has no page size, or one of the cores already uses it.
CBHandle CreateCircularBuffer(Program& program, const CoreSpec& cores, CircularBufferConfig config);

/// Adds a semaphore and returns its id, the lowest that is free on all `cores`. Every launch writes
/// the initial value.
///
/// tt-metal takes the lowest free id of each rectangle, and of these the maximum, which another
/// rectangle may already use. Both rules give the same id if that one is free on all cores.
/// Errors   UsageError if no id is free on all cores (a core has 16).
std::uint32_t CreateSemaphore(Program& program, const CoreSpec& cores, std::uint32_t initial_value);

/// Sets the unique arguments of a kernel, in 4-byte words, on each core of `cores`.
/// Errors   UsageError if the kernel is not on one of the cores, if the number differs from an
///          earlier call on that core, or if it exceeds 341 words together with common arguments.
void SetRuntimeArgs(Program& program, KernelHandle kernel, const CoreSpec& cores,
                    std::vector<std::uint32_t> args);
/// Sets the arguments that all cores of a kernel share, in 4-byte words. Allowed once per kernel.
/// Errors   UsageError at a second call, or beyond 341 words together with unique arguments.
void SetCommonRuntimeArgs(Program& program, KernelHandle kernel, std::vector<std::uint32_t> args);

}  // namespace tessera
