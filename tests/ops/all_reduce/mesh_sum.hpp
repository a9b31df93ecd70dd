// SPDX-License-Identifier: Apache-2.0
// Runs all_reduce on a mesh with random inputs. All memory is filled with 0xFF (NaN) before the
// run.
#pragma once

#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ops/all_reduce/all_reduce.hpp"
#include "runtime/session/emulated_session.hpp"

namespace tessera::testing {

inline float from_bf16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}
/// Rounds a finite value to nearest even.
inline std::uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16U & 1U)) >> 16U);
}

inline std::vector<HostTensor> random_inputs(std::uint32_t devices, const Shape& shape,
                                             std::uint32_t seed = 5) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<HostTensor> inputs;
    for (std::uint32_t device = 0; device < devices; ++device) {
        inputs.push_back(make_host_tensor(shape, DataFormat::Float16_b));
        for (std::uint16_t& value : inputs.back().as<std::uint16_t>()) {
            value = to_bf16(normal(random));
        }
    }
    return inputs;
}

class MeshSum {
public:
    MeshSum(MeshSpec mesh, const ArchSpec& arch, const SessionOptions& options = {.threads = 1})
        : session_(mesh, arch, options) {}

    ops::AllReduceSpec schedule{.algorithm = ops::AllReduceAlgorithm::Ring, .cb_depth = 2};

    /// Uploads inputs and allocates outputs; once for each instance.
    void prepare(std::span<const HostTensor> values) {
        for (std::uint32_t device = 0; device < values.size(); ++device) {
            const TensorSpec spec{values[device].shape, values[device].format, Layout::ROW_MAJOR};
            inputs_.push_back(make(device, "input", spec));
            outputs_.push_back(make(device, "output", spec));
            session_.write(inputs_.back(), values[device]);
        }
    }
    LaunchResult launch() {
        return session_.launch(
            "all_reduce", ops::call_programs(ops::all_reduce::op(), session_.arch(),
                                             session_.mesh(), {&schedule, {inputs_}, {outputs_}}));
    }
    [[nodiscard]] std::vector<HostTensor> results() const {
        std::vector<HostTensor> values;
        for (const DeviceTensor& output : outputs_) {
            values.push_back(session_.read(output));
        }
        return values;
    }
    std::vector<HostTensor> run(std::span<const HostTensor> values) {
        prepare(values);
        launch();
        return results();
    }
    EmulatedSession& session() { return session_; }
    std::vector<DeviceTensor>& inputs() { return inputs_; }
    std::vector<DeviceTensor>& outputs() { return outputs_; }

private:
    DeviceTensor make(std::uint32_t device, const std::string& name, const TensorSpec& spec) {
        DeviceTensor tensor = session_.allocate(device, name, spec, BufferType::DRAM);
        session_.fill(tensor, std::byte{0xFF});
        return tensor;
    }

    EmulatedSession session_;
    std::vector<DeviceTensor> inputs_;
    std::vector<DeviceTensor> outputs_;
};

}  // namespace tessera::testing
