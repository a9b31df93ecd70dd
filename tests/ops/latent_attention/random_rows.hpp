// SPDX-License-Identifier: Apache-2.0
// Random rows for ops of latent attention, and comparisons with the op's reference.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "emu/base/random_tensor.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::testing {

inline HostTensor random_rows(Shape shape, std::uint64_t seed = 1) {
    return make_normal_bf16(std::move(shape), {.seed = seed});
}

inline HostTensor ints(Shape shape, const std::vector<std::int32_t>& values) {
    return host_tensor(std::move(shape), DataFormat::Int32, values);
}

/// Returns 0, 1, 2, …
inline HostTensor counted(Shape shape) {
    HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::Int32);
    const auto values = tensor.as<std::int32_t>();
    std::iota(values.begin(), values.end(), 0);
    return tensor;
}

inline std::vector<float> floats_of(const HostTensor& tensor) {
    if (tensor.format == DataFormat::Float32) {
        return values_of<float>(tensor);
    }
    std::vector<float> values;
    for (const std::uint16_t bits : tensor.as<std::uint16_t>()) {
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
    }
    return values;
}

/// Returns whether every output is within the op's promised tolerance of the reference.
inline ::testing::AssertionResult keeps_its_tolerance(const ops::Op& op, const OpRun& run) {
    const CloseTolerance tolerance{op.spec.tolerance.min_pcc, op.spec.tolerance.max_relative_error};
    for (std::size_t i = 0; i < run.references.size(); ++i) {
        const Closeness closeness = compare_close(run.outputs[i], run.references[i], tolerance);
        if (closeness.num_elements == 0 || !closeness.passes(tolerance)) {
            return ::testing::AssertionFailure()
                   << op.spec.outputs[i].name << ": PCC " << closeness.pcc << ", error "
                   << closeness.max_rel_err;
        }
    }
    return ::testing::AssertionSuccess();
}

/// Every delivery mode with every number of host threads that tests use.
inline std::vector<SessionOptions> all_sessions() {
    std::vector<SessionOptions> sessions;
    for (const std::uint32_t threads : {1U, 2U, 5U}) {
        for (const NocDelivery delivery :
             {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
            sessions.push_back({.threads = threads, .delivery = delivery, .seed = threads});
        }
    }
    return sessions;
}

/// Values that an op leaves in the input at `rewritten`, which is its output too; one device.
template <class Spec>
HostTensor call_rows(const ops::Op& op, const Spec& spec, const std::vector<HostTensor>& inputs,
                     std::size_t rewritten) {
    OneDevice device(test_arch());
    const MeshSpec mesh{.shape = {1, 1}, .topology = Topology::Line, .device = "test_arch"};
    const std::array<std::uint32_t, 1> devices{0};
    std::vector<std::vector<DeviceTensor>> on_device;
    std::vector<ops::TensorPlan> plans;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        on_device.push_back({device.put("in" + std::to_string(i), inputs[i])});
        plans.push_back(ops::plan_of(on_device.back().front()));
    }
    const std::vector<std::vector<DeviceTensor>> outputs{on_device[rewritten]};
    const std::vector<ops::TensorPlan> output_plans{plans[rewritten]};
    device.run(std::string(op.spec.name), op.programs({.arch = device.arch(),
                                                       .mesh = mesh,
                                                       .devices = devices,
                                                       .parameters = &spec,
                                                       .inputs = plans,
                                                       .outputs = output_plans,
                                                       .device_inputs = on_device,
                                                       .device_outputs = outputs})
                                              .front()
                                              .program);
    return device.get(outputs.front().front());
}

/// Returns whether the bytes equal the reference.
inline ::testing::AssertionResult has_reference_bytes(const OpRun& run) {
    for (std::size_t i = 0; i < run.references.size(); ++i) {
        if (run.outputs[i].bytes != run.references[i].bytes) {
            return ::testing::AssertionFailure() << "output " << i << " has other bytes";
        }
    }
    return ::testing::AssertionSuccess();
}

}  // namespace tessera::testing
