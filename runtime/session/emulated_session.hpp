// SPDX-License-Identifier: Apache-2.0
// The session that ops run in: an emulated mesh in this process.
#pragma once

#include <cstdint>
#include <memory>

#include "tessera/noc_delivery.hpp"
#include "tessera/session.hpp"

namespace tessera {

class Mesh;
class WorkerPool;

struct SessionOptions {
    std::uint32_t threads = 0;  ///< workers of the host; 0: one for each host core
    NocDelivery delivery = NocDelivery::AtBarrier;
    std::uint64_t seed = 0;  ///< of NocDelivery::Random
};

/// Every call is made from one thread; launches use `threads` workers. Equal calls give equal
/// bytes at any number of them.
class EmulatedSession final : public Session {
public:
    EmulatedSession(const MeshSpec& mesh, const ArchSpec& arch, const SessionOptions& options);
    ~EmulatedSession() override;

    [[nodiscard]] const ArchSpec& arch() const override { return arch_; }
    [[nodiscard]] const MeshSpec& mesh() const override { return mesh_spec_; }

    [[nodiscard]] DeviceTensor allocate(std::uint32_t device, const std::string& name,
                                        const TensorSpec& spec, BufferType type) override;
    /// Allocates a tensor dealt out in shards of whole pages; `shard` counts pages.
    /// Errors   UsageError as allocate, or if the geometry does not fit the tensor.
    [[nodiscard]] DeviceTensor allocate_sharded(std::uint32_t device, const std::string& name,
                                                const TensorSpec& spec, BufferType type,
                                                TensorMemoryLayout layout, const ShardSpec& shard);
    void deallocate(const DeviceTensor& tensor) override;
    void write(const DeviceTensor& tensor, const HostTensor& values) override;
    [[nodiscard]] HostTensor read(const DeviceTensor& tensor) const override;
    void fill(const DeviceTensor& tensor, std::byte value) override;
    LaunchResult launch(const std::string& name, std::span<const DeviceProgram> programs) override;

    [[nodiscard]] Mesh& emulated_mesh() noexcept { return *mesh_; }
    /// Workers that launches run on.
    [[nodiscard]] std::uint32_t num_threads() const noexcept;

private:
    [[nodiscard]] DeviceTensor place(const std::string& name, const TensorSpec& spec,
                                     Buffer buffer);

    ArchSpec arch_;
    MeshSpec mesh_spec_;
    SessionOptions options_;
    std::unique_ptr<Mesh> mesh_;
    std::unique_ptr<WorkerPool> pool_;
};

}  // namespace tessera
