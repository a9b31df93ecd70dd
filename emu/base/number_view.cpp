// SPDX-License-Identifier: Apache-2.0
#include "tessera/number_view.hpp"

#include "emu/base/bf16.hpp"
#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

double to_double(std::uint16_t bits) noexcept {
    return bf16_to_float(bits);
}
double to_double(float value) noexcept {
    return value;
}
double to_double(double value) noexcept {
    return value;
}

template <class T>
std::span<const T> span_of(std::span<const T> values) noexcept {
    return values;
}
std::span<const std::uint16_t> span_of(Bf16Bits values) noexcept {
    return values.bits;
}

}  // namespace

NumberView::NumberView(const HostTensor& tensor) : values_(Bf16Bits{}) {
    require_allowed(tensor.format == DataFormat::Float16_b || tensor.format == DataFormat::Float32,
                    "NumberView", fmt::format("tensor of shape {}", to_string(tensor.shape)),
                    name_of(tensor.format), "bfloat16, float32");
    if (tensor.format == DataFormat::Float16_b) {
        values_ = Bf16Bits{tensor.as<std::uint16_t>()};
    } else {
        values_ = tensor.as<float>();
    }
}

std::size_t NumberView::size() const noexcept {
    return std::visit([](auto values) { return span_of(values).size(); }, values_);
}

void NumberView::load(std::size_t first, std::span<double> out) const noexcept {
    std::visit(
        [&](auto values) {
            const auto* from = span_of(values).data() + first;
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = to_double(from[i]);
            }
        },
        values_);
}

}  // namespace tessera
