// SPDX-License-Identifier: Apache-2.0
// Operands of references and checks: tensors on a device or on the host.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "ops/op.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "tessera/errors.hpp"
#include "tessera/session.hpp"

namespace tessera::pipeline {

/// Tensor on a device. Reads only the requested rows.
class DeviceValues final : public ops::OperandValues {
public:
    /// The session must outlive the object.
    DeviceValues(const Session& session, DeviceTensor tensor)
        : session_(session), tensor_(std::move(tensor)) {}

    [[nodiscard]] const Shape& shape() const override { return tensor_.spec.shape; }
    [[nodiscard]] HostTensor all() const override { return session_.read(tensor_); }
    [[nodiscard]] HostTensor first_rows(std::uint32_t index, std::uint32_t count) const override;
    [[nodiscard]] HostTensor rows(std::uint64_t first, std::uint32_t count) const override;

private:
    const Session& session_;
    DeviceTensor tensor_;
};

/// Input tensor, drawn or read from its file at each request.
class OriginValues final : public ops::OperandValues {
public:
    /// Values and tensor outlive the object.
    OriginValues(const TensorValues& values, const PipelineTensor& tensor, std::uint32_t device,
                 Shape shape)
        : values_(values), tensor_(tensor), device_(device), shape_(std::move(shape)) {}

    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] HostTensor all() const override { return values_.on(tensor_, device_); }
    [[nodiscard]] HostTensor first_rows(std::uint32_t index, std::uint32_t count) const override;
    [[nodiscard]] HostTensor rows(std::uint64_t first, std::uint32_t count) const override;

private:
    const TensorValues& values_;
    const PipelineTensor& tensor_;
    std::uint32_t device_;
    Shape shape_;  ///< shape of the device's part
};

/// Tensor on the host.
class HostValues final : public ops::OperandValues {
public:
    explicit HostValues(HostTensor tensor) : tensor_(std::move(tensor)) {}

    [[nodiscard]] const Shape& shape() const override { return tensor_.shape; }
    [[nodiscard]] HostTensor all() const override { return tensor_; }
    [[nodiscard]] HostTensor first_rows(std::uint32_t index, std::uint32_t count) const override;
    [[nodiscard]] HostTensor rows(std::uint64_t first, std::uint32_t count) const override;

private:
    HostTensor tensor_;
};

/// Input whose values a check does not have yet, only its shape.
class ShapeOnly final : public ops::OperandValues {
public:
    explicit ShapeOnly(Shape shape) : shape_(std::move(shape)) {}

    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] HostTensor all() const override { return refuse(); }
    [[nodiscard]] HostTensor first_rows(std::uint32_t, std::uint32_t) const override {
        return refuse();
    }
    [[nodiscard]] HostTensor rows(std::uint64_t, std::uint32_t) const override { return refuse(); }

private:
    [[noreturn]] HostTensor refuse() const {
        throw InternalError(
            fmt::format("a check reads a {} input that its op does not name", to_string(shape_)));
    }

    Shape shape_;
};

/// Returns the first counts[e] rows of every matrix e of a stack, packed, with the shape of the
/// whole tensor.
[[nodiscard]] HostTensor valid_rows(const ops::OperandValues& values, DataFormat format,
                                    std::span<const std::uint32_t> counts);

}  // namespace tessera::pipeline
