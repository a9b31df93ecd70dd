// SPDX-License-Identifier: Apache-2.0
// One emulated device for tests of ops. Every tensor's memory is filled with 0xFF before it is
// written. As a result bfloat16 padding is NaN, indices in padding are out of range, and an output
// that a kernel does not write is noticed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/memory_config.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::testing {

template <class T>
HostTensor host_tensor(Shape shape, DataFormat format, const std::vector<T>& values) {
    HostTensor tensor = make_host_tensor(std::move(shape), format);
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    return tensor;
}

template <class T>
std::vector<T> values_of(const HostTensor& tensor) {
    const auto values = tensor.as<T>();
    return {values.begin(), values.end()};
}

class OneDevice {
public:
    explicit OneDevice(const ArchSpec& arch, const SessionOptions& options = {.threads = 1})
        : session_({.shape = {1, 1}, .topology = Topology::Line, .device = arch.name}, arch,
                   options) {}

    [[nodiscard]] const ArchSpec& arch() const { return session_.arch(); }

    DeviceTensor make(const std::string& name, const TensorSpec& spec,
                      BufferType type = BufferType::DRAM) {
        DeviceTensor tensor = session_.allocate(0, name, spec, type);
        session_.fill(tensor, std::byte{0xFF});
        return tensor;
    }
    DeviceTensor put(const std::string& name, const HostTensor& values,
                     Layout layout = Layout::ROW_MAJOR, BufferType type = BufferType::DRAM) {
        DeviceTensor tensor = make(name, {values.shape, values.format, layout}, type);
        session_.write(tensor, values);
        return tensor;
    }
    DeviceTensor make(const std::string& name, const TensorSpec& spec, const MemoryConfig& config) {
        if (!config.is_sharded()) {
            return make(name, spec, config.memory);
        }
        return make(name, ops::TensorPlan{spec, config.memory, config.layout,
                                          make_shard_spec(spec, config)});
    }
    DeviceTensor make(const std::string& name, const ops::TensorPlan& plan) {
        if (!plan.shard) {
            return make(name, plan.spec, plan.memory);
        }
        DeviceTensor tensor =
            session_.allocate_sharded(0, name, plan.spec, plan.memory, plan.layout, *plan.shard);
        session_.fill(tensor, std::byte{0xFF});
        return tensor;
    }
    void write(const DeviceTensor& tensor, const HostTensor& values) {
        session_.write(tensor, values);
    }
    [[nodiscard]] HostTensor get(const DeviceTensor& tensor) const { return session_.read(tensor); }

    LaunchResult run(const std::string& name, Program program) {
        const std::array programs{DeviceProgram{0, std::move(program)}};
        return session_.launch(name, programs);
    }

private:
    EmulatedSession session_;
};

}  // namespace tessera::testing
