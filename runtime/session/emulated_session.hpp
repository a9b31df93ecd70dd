// SPDX-License-Identifier: Apache-2.0
// Session that runs ops on an emulated mesh in this process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "runtime/launch/alike_programs.hpp"
#include "runtime/session/launch_sink.hpp"
#include "runtime/session/replicate.hpp"
#include "tessera/session.hpp"
#include "tessera/trace.hpp"

namespace tessera {

class Mesh;
class TraceNames;
class WorkerPool;

/// Emulated session. Launches use SessionOptions::threads worker threads.
class EmulatedSession final : public Session {
public:
    EmulatedSession(const MeshSpec& mesh, const ArchSpec& arch, const SessionOptions& options);
    ~EmulatedSession() override;

    [[nodiscard]] const ArchSpec& arch() const override { return arch_; }
    [[nodiscard]] const MeshSpec& mesh() const override { return mesh_spec_; }

    [[nodiscard]] DeviceTensor allocate(std::uint32_t device, const std::string& name,
                                        const TensorSpec& spec, BufferType type) override;
    [[nodiscard]] DeviceTensor allocate_sharded(std::uint32_t device, const std::string& name,
                                                const TensorSpec& spec, BufferType type,
                                                TensorMemoryLayout layout,
                                                const ShardSpec& shard) override;
    void deallocate(const DeviceTensor& tensor) override;
    void write(const DeviceTensor& tensor, const HostTensor& values) override;
    /// Writes equal values to tensors of several devices. Tensors at the same DRAM address share
    /// the host's memory until one device writes to its tensor.
    void write_replicated(std::span<const DeviceTensor> tensors, const HostTensor& values) override;
    [[nodiscard]] HostTensor read(const DeviceTensor& tensor) const override;
    [[nodiscard]] HostTensor read_matrix(const DeviceTensor& tensor,
                                         std::uint32_t index) const override;
    void fill(const DeviceTensor& tensor, std::byte value) override;
    /// Returns whether two tensors of as many pages hold the same bytes, padding included.
    [[nodiscard]] bool holds_same(const DeviceTensor& first, const DeviceTensor& second) const;
    /// Copies the bytes of a tensor to one of the same pages.
    void copy(const DeviceTensor& from, const DeviceTensor& to);
    LaunchResult launch(const std::string& name, std::span<const DeviceProgram> programs) override;

    /// Launches with kernels that run once for programs that are `alike`; the trace and the result
    /// have all devices.
    LaunchResult launch(const std::string& name, std::span<const DeviceProgram> programs,
                        std::span<const std::size_t> alike);

    [[nodiscard]] const Trace& trace() const noexcept override { return trace_; }
    /// Waits until SessionOptions::trace_sink has returned for all launches. Returns the host seconds
    /// in which the session did nothing but call or await it.
    /// Errors   those of the sink.
    double wait_for_sink() {
        sink_.wait();
        return sink_.seconds();
    }

    [[nodiscard]] Mesh& emulated_mesh() noexcept { return *mesh_; }
    /// Returns the number of worker threads of a launch.
    [[nodiscard]] std::uint32_t num_threads() const noexcept;

private:
    [[nodiscard]] HostTensor read_pages(const DeviceTensor& tensor, const TensorSpec& spec,
                                        std::uint32_t first) const;
    [[nodiscard]] BankRange dram_range(const DeviceTensor& tensor) const;
    [[nodiscard]] bool can_share(std::span<const DeviceTensor> tensors) const;
    [[nodiscard]] LaunchResult run_kernels(std::span<const LaunchedProgram> programs);
    void pass_on_trace(const std::string& name, std::span<const LaunchedProgram> programs);
    [[nodiscard]] DeviceTensor place(const std::string& name, const TensorSpec& spec,
                                     Buffer buffer);
    void fill_unwritten(const DeviceTensor& tensor);

    ArchSpec arch_;
    MeshSpec mesh_spec_;
    SessionOptions options_;
    std::unique_ptr<Mesh> mesh_;
    std::unique_ptr<WorkerPool> pool_;
    /// Bytes per bank of tensors whose host memory is shared, by device and address.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shared_;
    Trace trace_;
    std::unique_ptr<TraceNames> names_;
    LaunchSink sink_;  ///< last: it waits for a sink before all else is destroyed
};

}  // namespace tessera
