// SPDX-License-Identifier: Apache-2.0
// References of steps on tensors that the test owns.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "ops/op.hpp"

namespace tessera::testing {

/// Provides exactly the requested rows.
class HeldValues final : public ops::OperandValues {
public:
    explicit HeldValues(HostTensor tensor) : tensor_(std::move(tensor)) {}

    [[nodiscard]] const Shape& shape() const override { return tensor_.shape; }
    [[nodiscard]] HostTensor all() const override { return tensor_; }
    [[nodiscard]] HostTensor first_rows(std::uint32_t index, std::uint32_t count) const override {
        return rows(std::uint64_t{index} * tensor_.shape.at(1), count);
    }
    [[nodiscard]] HostTensor rows(std::uint64_t first, std::uint32_t count) const override {
        HostTensor part = make_host_tensor({1, count, tensor_.shape.at(2)}, tensor_.format);
        const std::size_t row_bytes = part.bytes.size() / count;
        std::memcpy(part.bytes.data(), tensor_.bytes.data() + first * row_bytes, part.bytes.size());
        return part;
    }

private:
    HostTensor tensor_;
};

/// Input of an op's reference or of its check of values: one list of tensors per operand, one
/// tensor per device.
class HeldStep {
public:
    HeldStep(ops::ParameterRef parameters, const std::vector<std::vector<HostTensor>>& inputs,
             std::vector<TensorSpec> outputs = {})
        : parameters_(parameters) {
        for (const auto& operand : inputs) {
            inputs_.emplace_back();
            for (const HostTensor& tensor : operand) {
                inputs_.back().push_back(std::make_shared<HeldValues>(tensor));
            }
        }
        for (TensorSpec& spec : outputs) {
            outputs_.push_back({.spec = std::move(spec)});
        }
    }
    [[nodiscard]] ops::ReferenceContext at(std::size_t position = 0) const {
        return {.parameters = parameters_,
                .position = position,
                .inputs = inputs_,
                .outputs = outputs_};
    }

private:
    ops::ParameterRef parameters_;
    std::vector<std::vector<std::shared_ptr<const ops::OperandValues>>> inputs_;
    std::vector<ops::TensorPlan> outputs_;
};

}  // namespace tessera::testing
