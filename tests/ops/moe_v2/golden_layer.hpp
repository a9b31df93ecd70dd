// SPDX-License-Identifier: Apache-2.0
// The MoE layers of the V2 golden files, ready to run.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ops/moe_v2/moe_v2.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::testing {

/// Fills every tensor with 0xFF (NaN, indices out of range) when it is allocated, so that whatever
/// a kernel does not write, and reads all the same, shows.
class GarbageSession final : public Session {
public:
    GarbageSession(const MeshSpec& mesh, const ArchSpec& arch, const SessionOptions& options)
        : session_(mesh, arch, options) {}

    [[nodiscard]] const ArchSpec& arch() const override { return session_.arch(); }
    [[nodiscard]] const MeshSpec& mesh() const override { return session_.mesh(); }
    [[nodiscard]] DeviceTensor allocate(std::uint32_t device, const std::string& name,
                                        const TensorSpec& spec, BufferType type) override {
        DeviceTensor tensor = session_.allocate(device, name, spec, type);
        session_.fill(tensor, std::byte{0xFF});
        ++num_tensors_;
        return tensor;
    }
    void deallocate(const DeviceTensor& tensor) override {
        session_.deallocate(tensor);
        --num_tensors_;
    }
    void write(const DeviceTensor& tensor, const HostTensor& values) override {
        session_.write(tensor, values);
    }
    [[nodiscard]] HostTensor read(const DeviceTensor& tensor) const override {
        return session_.read(tensor);
    }
    [[nodiscard]] HostTensor read_matrix(const DeviceTensor& tensor,
                                         std::uint32_t index) const override {
        return session_.read_matrix(tensor, index);
    }
    void fill(const DeviceTensor& tensor, std::byte value) override {
        session_.fill(tensor, value);
    }
    LaunchResult launch(const std::string& name, std::span<const DeviceProgram> programs) override {
        ++num_launches_;
        return session_.launch(name, programs);
    }

    [[nodiscard]] int num_tensors() const { return num_tensors_; }
    [[nodiscard]] int num_launches() const { return num_launches_; }

private:
    EmulatedSession session_;
    int num_tensors_ = 0;
    int num_launches_ = 0;
};

/// Schedules as the shipped configurations have them.
inline OpsSpec default_ops() {
    OpsSpec ops;
    ops.scatter.cb_depth = 2;
    ops.to_layout.cb_depth = 2;
    ops.moe_bmm = {.k_block = 2, .subblock = {1, 1}, .cb_depth = 2};
    ops.activation.cb_depth = 2;
    ops.local_reduce.cb_depth = 2;
    ops.all_reduce.cb_depth = 2;
    return ops;
}

class GoldenLayer {
public:
    explicit GoldenLayer(const std::string& stem) : file_(stem) {}

    [[nodiscard]] const golden::GoldenFile& file() const { return file_; }
    [[nodiscard]] std::uint32_t num_devices() const {
        return file_.entry().at("params").at("D").get<std::uint32_t>();
    }
    [[nodiscard]] ops::moe_v2::MoeInputs inputs() const {
        ops::moe_v2::MoeInputs inputs{
            golden_tensor(file_, "hidden_states"), golden_tensor(file_, "selected_experts"),
            golden_tensor(file_, "routing_weights"), golden_tensor(file_, "device_expert_mapping")};
        inputs.intermediate = file_.entry().at("params").at("H_inter").get<std::uint32_t>();
        inputs.make_weights = [this](ops::moe_v2::Projection projection, std::uint32_t device) {
            return weights(projection, device);
        };
        return inputs;
    }

private:
    // Rows of the weights by global expert, in the device's order.
    [[nodiscard]] HostTensor weights(ops::moe_v2::Projection projection,
                                     std::uint32_t device) const {
        const HostTensor all = golden_tensor(file_, name_of(projection));
        const HostTensor experts = golden_row(file_, "device_expert_mapping", device);
        HostTensor shard =
            make_host_tensor({experts.shape[0], all.shape[1], all.shape[2]}, all.format);
        const std::size_t bytes = all.bytes.size() / all.shape[0];
        std::byte* out = shard.bytes.data();
        for (const std::int32_t expert : experts.as<std::int32_t>()) {
            std::memcpy(out, all.bytes.data() + static_cast<std::size_t>(expert) * bytes, bytes);
            out += bytes;
        }
        return shard;
    }

    golden::GoldenFile file_;
};

/// Every output of the pipeline on the host, as "d0.gate", …, "final" (device 0's).
using HostOutputs = std::map<std::string, HostTensor>;

inline HostOutputs run_layer(const GoldenLayer& layer, const OpsSpec& ops,
                             const SessionOptions& options, const ArchSpec& arch = test_arch()) {
    const MeshSpec mesh{
        .shape = {1, layer.num_devices()}, .topology = Topology::Line, .device = arch.name};
    GarbageSession session(mesh, arch, options);
    HostOutputs outputs;
    const auto read_outputs = [&](const ops::moe_v2::Step& step) {
        for (std::size_t device = 0; device < step.devices.size(); ++device) {
            for (const std::string_view name : step.plan->outputs) {
                outputs.emplace("d" + std::to_string(device) + "." + std::string(name),
                                session.read(step.devices[device].find(name)->second));
            }
        }
    };
    ops::moe_v2::run(session, layer.inputs(), ops, {.before = {}, .after = read_outputs});
    return outputs;
}

}  // namespace tessera::testing
