// SPDX-License-Identifier: Apache-2.0
// One matmul launch on an emulated device whose memory was filled with 0xFF.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/matmul/matmul.hpp"
#include "ops/shared/host_floats.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/ops/op_reference.hpp"

namespace tessera::ops::matmul {

/// Returns an element of a tensor in the device's layout.
using ElementOf = float (*)(std::uint64_t index);

/// Returns −1, 0 or 1: products and sums of a few hundred are exact in every format and order.
inline float small_integer(std::uint64_t index) {
    const std::uint64_t hash = (index + 1) * 0x9E3779B97F4A7C15ULL;
    return static_cast<float>((hash >> 40U) % 3) - 1.0F;
}

/// Returns values almost uniform in (−1, 1), in steps of 2^-8, which use all 8 significant bits of
/// bfloat16.
inline float fraction(std::uint64_t index) {
    const std::uint64_t hash = (index + 1) * 0x9E3779B97F4A7C15ULL;
    return static_cast<float>(static_cast<int>((hash >> 40U) % 511) - 255) / 256.0F;
}

inline HostTensor host_values(const TensorSpec& spec, ElementOf element, std::uint64_t first) {
    const bool is_bf16 = spec.format == DataFormat::Float16_b;
    HostTensor tensor = make_host_tensor(spec.shape, is_bf16 ? spec.format : DataFormat::Float32);
    for (std::uint64_t i = 0; i < num_elements(spec.shape); ++i) {
        const float value = element(first + i);
        if (is_bf16) {
            tensor.as<std::uint16_t>()[i] =
                static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
        } else {
            tensor.as<float>()[i] = value;
        }
    }
    return tensor;
}

/// Values as stored on the device; blocks of bfp8_b and bfp4_b are rounded on upload.
struct Product {
    HostTensor in0;
    HostTensor in1;
    HostTensor out;
    LaunchResult launch;
};

inline HostTensor reference(const Product& product) {
    const MatmulSpec schedule;
    return testing::reference_of(op(), &schedule, {product.in0, product.in1});
}

/// Counts the elements that differ from the reference.
inline std::uint64_t count_wrong(const Product& product) {
    const HostTensor expected = reference(product);
    std::vector<float> values(num_elements(product.out.shape));
    read_floats(product.out, 0, values);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        wrong += values[i] == expected.as<float>()[i] ? 0 : 1;
    }
    return wrong;
}

class MatmulDevice {
public:
    explicit MatmulDevice(const ArchSpec& arch, const SessionOptions& options = {.threads = 2})
        : session_(MeshSpec{.shape = {1, 1}, .topology = Topology::Line, .device = arch.name}, arch,
                   options) {}

    [[nodiscard]] DeviceTensor allocate(const std::string& name, const TensorPlan& layout) {
        return layout.layout == TensorMemoryLayout::INTERLEAVED
                   ? session_.allocate(0, name, layout.spec, layout.memory)
                   : session_.allocate_sharded(0, name, layout.spec, layout.memory, layout.layout,
                                               *layout.shard);
    }

    Product run(const MatmulShape& shape, const MatmulSpec& schedule, ElementOf element) {
        const OperandLayouts layouts = operand_layouts(session_.arch(), shape, schedule);
        const DeviceTensor in0 = allocate("in0", layouts.in0);
        const DeviceTensor in1 = allocate("in1", layouts.in1);
        const DeviceTensor out = allocate("out", layouts.out);
        for (const DeviceTensor* tensor : {&in0, &in1, &out}) {
            session_.fill(*tensor, std::byte{0xFF});
        }
        session_.write(in0, host_values(in0.spec, element, 0));
        session_.write(in1, host_values(in1.spec, element, num_elements(in0.spec.shape)));
        const std::array programs{
            DeviceProgram{0, call_program(op(), session_.arch(), &schedule, {in0, in1}, {out})}};
        LaunchResult launch = session_.launch("matmul", programs);
        return {session_.read(in0), session_.read(in1), session_.read(out), std::move(launch)};
    }

private:
    EmulatedSession session_;
};

}  // namespace tessera::ops::matmul
