// SPDX-License-Identifier: Apache-2.0
// Runs all_gather on a mesh. Every element encodes its device and position. Memory is filled with
// 0xFF before the run.
#pragma once

#include <string>
#include <vector>

#include "ops/all_gather/all_gather.hpp"
#include "runtime/session/emulated_session.hpp"

namespace tessera::testing {

class MeshGather {
public:
    MeshGather(MeshSpec mesh, const ArchSpec& arch, const TensorSpec& input,
               const SessionOptions& options = {.threads = 1})
        : session_(mesh, arch, options) {
        const std::uint32_t devices = mesh.shape.num_devices();
        TensorSpec output = input;
        output.shape[0] *= devices;
        for (std::uint32_t device = 0; device < devices; ++device) {
            inputs.push_back(make(device, "input", input));
            outputs.push_back(make(device, "output", output));
            values.push_back(numbered(device, input.shape));
            session_.write(inputs.back(), values.back());
        }
    }

    ops::all_gather::Schedule schedule{.links = 1};
    std::vector<DeviceTensor> inputs;
    std::vector<DeviceTensor> outputs;
    std::vector<HostTensor> values;

    void launch() {
        session_.launch("all_gather",
                        ops::call_programs(ops::all_gather::op(), session_.arch(), session_.mesh(),
                                           {&schedule, {inputs}, {outputs}}));
    }
    [[nodiscard]] std::vector<std::uint32_t> result(std::uint32_t device) const {
        const HostTensor whole = session_.read(outputs[device]);
        const auto words = whole.as<std::uint32_t>();
        return {words.begin(), words.end()};
    }
    /// Returns the devices' values, concatenated.
    [[nodiscard]] std::vector<std::uint32_t> expected() const {
        std::vector<std::uint32_t> whole;
        for (const HostTensor& slice : values) {
            const auto words = slice.as<std::uint32_t>();
            whole.insert(whole.end(), words.begin(), words.end());
        }
        return whole;
    }

private:
    static HostTensor numbered(std::uint32_t device, const Shape& shape) {
        HostTensor tensor = make_host_tensor(shape, DataFormat::UInt32);
        std::uint32_t next = device << 24U;
        for (std::uint32_t& word : tensor.as<std::uint32_t>()) {
            word = next++;
        }
        return tensor;
    }
    DeviceTensor make(std::uint32_t device, const std::string& name, const TensorSpec& spec) {
        DeviceTensor tensor = session_.allocate(device, name, spec, BufferType::DRAM);
        session_.fill(tensor, std::byte{0xFF});
        return tensor;
    }

    EmulatedSession session_;
};

}  // namespace tessera::testing
