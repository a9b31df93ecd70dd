// SPDX-License-Identifier: Apache-2.0
// Values of any of three number types, read as double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "tessera/tensor.hpp"

namespace tessera {

/// bfloat16 bit patterns, as a type that differs from plain 16-bit integers.
struct Bf16Bits {
    std::span<const std::uint16_t> bits;
};

/// Read-only view of bfloat16, float or double values as double.
/// Precondition   the values outlive the view.
class NumberView {
public:
    NumberView(Bf16Bits values) : values_(values) {}                 // NOLINT: a view of anything
    NumberView(std::span<const float> values) : values_(values) {}   // NOLINT
    NumberView(std::span<const double> values) : values_(values) {}  // NOLINT
    /// Errors   UsageError if the format is neither bfloat16 nor float32.
    NumberView(const HostTensor& tensor);  // NOLINT

    [[nodiscard]] std::size_t size() const noexcept;
    /// Copies `out.size()` values from `first` on.
    void load(std::size_t first, std::span<double> out) const noexcept;

private:
    std::variant<Bf16Bits, std::span<const float>, std::span<const double>> values_;
};

}  // namespace tessera
