// SPDX-License-Identifier: Apache-2.0
// Memory on the devices of an emulated mesh, and launches: all that a program, an op or a pipeline
// needs of whoever runs it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/arch_spec.hpp"
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

/// What one core did in one launch.
struct CoreActivity {
    std::uint32_t device = 0;
    CoreCoord core;
    std::uint64_t tiles_packed = 0;      ///< tiles its compute kernel packed
    std::uint64_t tiles_multiplied = 0;  ///< tile products of the matrix unit
    std::uint64_t bytes_read = 0;        ///< over both NoCs, DRAM and other L1s
    std::uint64_t bytes_written = 0;
    std::uint64_t bytes_linked = 0;  ///< sent over mesh links
};

struct DeviceProgram {
    std::uint32_t device = 0;
    Program program;
    /// Tensors that the host had to read back, after the launches before, to build the program.
    std::uint32_t host_reads = 0;
};

/// One launch of programs on one or more devices together.
struct LaunchResult {
    std::vector<CoreActivity> cores;  ///< cores that had a kernel, by (device, y, x)
    double host_seconds = 0;
};

/// Every call is made from one thread, but for reads, of which several may run. Equal calls give
/// equal bytes, of results and of traces, at any number of the host's threads.
class Session {
public:
    virtual ~Session() = default;

    [[nodiscard]] virtual const ArchSpec& arch() const = 0;
    [[nodiscard]] virtual const MeshSpec& mesh() const = 0;

    /// Allocates an interleaved tensor in DRAM (or L1) of one device. Its bytes are
    /// SessionOptions::unwritten_memory.
    /// Errors   UsageError naming device, tensor, bytes missing and the largest holders.
    [[nodiscard]] virtual DeviceTensor allocate(std::uint32_t device, const std::string& name,
                                                const TensorSpec& spec,
                                                BufferType type = BufferType::DRAM) = 0;
    /// Allocates a tensor dealt out in shards of whole pages; `shard` counts pages.
    /// Errors   UsageError as allocate, or if the geometry does not fit the tensor.
    [[nodiscard]] virtual DeviceTensor allocate_sharded(std::uint32_t device,
                                                        const std::string& name,
                                                        const TensorSpec& spec, BufferType type,
                                                        TensorMemoryLayout layout,
                                                        const ShardSpec& shard) = 0;
    virtual void deallocate(const DeviceTensor& tensor) = 0;

    /// Copies a host tensor into the device tensor of the same logical shape and format, laying
    /// it out (and padding tiles with zeros) on the way. A tensor in a block format takes float32
    /// values, rounded as the packer does it.
    /// Errors   UsageError if shape or format differ.
    virtual void write(const DeviceTensor& tensor, const HostTensor& values) = 0;
    /// As write() of the same values to each of `tensors`, one a device.
    virtual void write_replicated(std::span<const DeviceTensor> tensors, const HostTensor& values) {
        for (const DeviceTensor& tensor : tensors) {
            write(tensor, values);
        }
    }
    /// The values in the tensor's format; of a block format, exactly, as float32.
    [[nodiscard]] virtual HostTensor read(const DeviceTensor& tensor) const = 0;
    /// As read(), one matrix (the last two extents) of a tensor of three: large stacks need not
    /// exist on the host at once.
    /// Shapes   (N, rows, columns) gives (1, rows, columns).
    /// Errors   UsageError for a tensor of other than three extents or `index` ≥ N.
    [[nodiscard]] virtual HostTensor read_matrix(const DeviceTensor& tensor,
                                                 std::uint32_t index) const = 0;
    /// Fills every byte of the buffer, padding included (tests of garbage in padding).
    virtual void fill(const DeviceTensor& tensor, std::byte value) = 0;

    /// Runs the programs to the end.
    /// Errors   KernelError if a kernel breaks the machine's contract or all are blocked.
    virtual LaunchResult launch(const std::string& name,
                                std::span<const DeviceProgram> programs) = 0;

    /// What launches recorded until now: none without TraceMode::On, or where a sink took them.
    [[nodiscard]] virtual const Trace& trace() const noexcept = 0;
};

struct SessionOptions {
    std::uint32_t threads = 0;  ///< workers of the host; 0: one for each host core
    NocDelivery delivery = NocDelivery::AtBarrier;
    std::uint64_t seed = 0;  ///< of NocDelivery::Random
    /// What tensors hold when they are allocated. With BulkData::Integers only those that move.
    UnwrittenMemory unwritten_memory = UnwrittenMemory::AsLeft;
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;
    BulkData bulk_data = BulkData::On;
    /// With BulkData::Integers: tensors of these names move all the same.
    std::vector<std::string> steering;
    /// Rounds that a loop may make while nothing else goes on; more end the launch as a deadlock.
    std::uint64_t progress_limit = kDefaultProgressLimit;
    /// With TraceMode::On: given each launch's trace when the launch has ended, so that nobody has
    /// to hold all events of a run. `so_far` has the names that the launch refers to, and no
    /// launches. Without a sink the session keeps the launches (Session::trace).
    std::function<void(const Trace& so_far, LaunchTrace&& launch)> trace_sink;
};

/// Opens an emulated mesh in this process.
[[nodiscard]] std::unique_ptr<Session> open_session(const Machine& machine,
                                                    const SessionOptions& options = {});

}  // namespace tessera
