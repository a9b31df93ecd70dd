// SPDX-License-Identifier: Apache-2.0
// A session: memory on the devices of an emulated mesh, and launches of programs on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/findings.hpp"
#include "tessera/launch_modes.hpp"
#include "tessera/loop_rounds.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/noc_delivery.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"
#include "tessera/unwritten_memory.hpp"

namespace tessera {

class Machine;
struct LaunchTrace;
struct Trace;

/// Counts of one core's work in one launch.
struct CoreActivity {
    std::uint32_t device = 0;
    CoreCoord core;
    std::uint64_t tiles_packed = 0;      ///< tiles its compute kernel packed
    std::uint64_t tiles_multiplied = 0;  ///< tile products of the matrix unit
    std::uint64_t bytes_read = 0;        ///< read over both NoCs, from DRAM and other L1s
    std::uint64_t bytes_written = 0;
    std::uint64_t bytes_linked = 0;  ///< sent to other devices over mesh links
};

/// A program and the device that runs it.
struct DeviceProgram {
    std::uint32_t device = 0;
    Program program;
    /// Number of tensors that the host read back, after earlier launches, to build the program.
    std::uint32_t host_reads = 0;
    bool is_alone = false;  ///< whether the program is known to send nothing to other devices
};

/// Result of one launch of programs on one or more devices.
struct LaunchResult {
    std::vector<CoreActivity> cores;  ///< cores that had a kernel, by (device, y, x)
    std::vector<Finding> findings;    ///< empty with ChipRules::Strict
    double host_seconds = 0;          ///< wall time of the launch on the host
};

/// Memory of an emulated mesh: allocates tensors, copies their values and launches programs. Equal
/// calls give equal bytes of results and traces at any number of host threads.
/// Precondition   all calls come from one thread; only reads may run on several at once.
class Session {
public:
    virtual ~Session() = default;

    /// Returns the device model that all devices share.
    [[nodiscard]] virtual const ArchSpec& arch() const = 0;
    /// Returns the mesh of devices.
    [[nodiscard]] virtual const MeshSpec& mesh() const = 0;

    /// Allocates an interleaved tensor in DRAM (or L1) of one device. SessionOptions::
    /// unwritten_memory defines its bytes.
    /// Errors   UsageError if memory runs out, naming device, tensor, bytes missing and the
    ///          largest tensors.
    [[nodiscard]] virtual DeviceTensor allocate(std::uint32_t device, const std::string& name,
                                                const TensorSpec& spec,
                                                BufferType type = BufferType::DRAM) = 0;
    /// Allocates a tensor in shards of whole pages. `shard` counts pages.
    /// Errors   UsageError as allocate(), or if the shards do not fit the tensor.
    [[nodiscard]] virtual DeviceTensor allocate_sharded(std::uint32_t device,
                                                        const std::string& name,
                                                        const TensorSpec& spec, BufferType type,
                                                        TensorMemoryLayout layout,
                                                        const ShardSpec& shard) = 0;
    /// Releases a tensor's memory.
    virtual void deallocate(const DeviceTensor& tensor) = 0;

    /// Copies a host tensor into a device tensor of the same logical shape and format. Converts to
    /// the tensor's layout and pads tiles with zeros. A tensor in a block format takes float32
    /// values, which are rounded as the packer rounds them.
    /// Errors   UsageError if shape or format differ.
    virtual void write(const DeviceTensor& tensor, const HostTensor& values) = 0;
    /// Writes the same values to each of `tensors`, one per device.
    /// Errors   as write().
    virtual void write_replicated(std::span<const DeviceTensor> tensors, const HostTensor& values) {
        for (const DeviceTensor& tensor : tensors) {
            write(tensor, values);
        }
    }
    /// Returns the values in the tensor's format. Values of a block format are returned as float32,
    /// without rounding.
    [[nodiscard]] virtual HostTensor read(const DeviceTensor& tensor) const = 0;
    /// Returns matrix `index` of a three-dimensional tensor, so that a large stack of matrices need
    /// not be on the host at once.
    /// Shapes   (N, rows, columns) gives (1, rows, columns).
    /// Errors   UsageError if the tensor does not have three dimensions, or `index` ≥ N.
    [[nodiscard]] virtual HostTensor read_matrix(const DeviceTensor& tensor,
                                                 std::uint32_t index) const = 0;
    /// Sets every byte of the buffer to `value`, padding included.
    virtual void fill(const DeviceTensor& tensor, std::byte value) = 0;

    /// Runs the programs until all their kernels have returned.
    /// Errors   KernelError if a kernel breaks the machine's contract or the kernels deadlock.
    virtual LaunchResult launch(const std::string& name,
                                std::span<const DeviceProgram> programs) = 0;

    /// Returns the trace of the launches so far. It has no launches without TraceMode::On or with
    /// SessionOptions::trace_sink.
    [[nodiscard]] virtual const Trace& trace() const noexcept = 0;
};

/// Time at which a session calls its trace sink.
enum class SinkCalls : std::uint8_t {
    InLaunch,       ///< before launch() returns
    BesideKernels,  ///< on another thread, if the session has several, while the next launch runs
};

/// Settings of a session.
struct SessionOptions {
    std::uint32_t threads = 0;  ///< workers of the host; 0: one for each host core
    NocDelivery delivery = NocDelivery::AtBarrier;
    std::uint64_t seed = 0;  ///< seed of NocDelivery::Random
    /// Bytes of newly allocated tensors. With BulkData::Integers only tensors that move have them.
    UnwrittenMemory unwritten_memory = UnwrittenMemory::AsLeft;
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;
    BulkData bulk_data = BulkData::On;
    /// Names of tensors whose data moves in spite of BulkData::Integers.
    std::vector<std::string> steering;
    /// Strict: a launch ends at behaviour that a chip tolerates (docs/emulation.md).
    ChipRules rules = ChipRules::Strict;
    /// Iterations that a loop may run while no other thread advances. More are a deadlock.
    std::uint64_t progress_limit = kDefaultProgressLimit;
    /// Byte that fills CBs before each launch, except those over tensors. Without one they hold
    /// what earlier launches left, as on a chip. Tests show with it that kernels do not depend on
    /// that.
    std::optional<std::byte> left_in_buffers;
    /// With TraceMode::On: called with each launch's trace when the launch ends, so that the events
    /// of a whole run need not be in memory. `so_far` has the names that the launch refers to, and
    /// no launches. Without a sink the session keeps the launches (Session::trace).
    std::function<void(const Trace& so_far, LaunchTrace&& launch)> trace_sink;
    SinkCalls sink_calls = SinkCalls::InLaunch;
};

/// Creates an emulated mesh in this process.
[[nodiscard]] std::unique_ptr<Session> open_session(const Machine& machine,
                                                    const SessionOptions& options = {});

}  // namespace tessera
