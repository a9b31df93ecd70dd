// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/axis_parts.hpp"

#include <cstring>

namespace tessera::pipeline {

HostTensor take_part(const HostTensor& whole, std::uint32_t axis,
                     std::span<const std::uint32_t> indices) {
    // Elements of one index are `outer` runs of `inner` bytes, so a slice is a few large copies.
    // Bytes and not elements: one function serves every format.
    std::size_t outer = 1;
    std::size_t inner = element_bytes(whole.format);
    for (std::size_t i = 0; i < whole.shape.size(); ++i) {
        (i < axis ? outer : inner) *= i == axis ? 1 : whole.shape[i];
    }
    const std::size_t extent = whole.shape[axis];
    HostTensor part{whole.shape, whole.format, {}};
    part.shape[axis] = static_cast<std::uint32_t>(indices.size());
    // resize() fills with zeros, which padding keeps.
    part.bytes.resize(outer * indices.size() * inner);
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (indices[i] == kPadding) {
                continue;
            }
            std::memcpy(part.bytes.data() + (o * indices.size() + i) * inner,
                        whole.bytes.data() + (o * extent + indices[i]) * inner, inner);
        }
    }
    return part;
}

void write_part(const HostTensor& part, std::size_t axis, std::span<const std::uint32_t> indices,
                HostTensor& whole) {
    const std::size_t extent = whole.shape[axis];
    std::size_t inner = element_bytes(whole.format);
    for (std::size_t i = axis + 1; i < whole.shape.size(); ++i) {
        inner *= whole.shape[i];
    }
    // The inverse of take_part(): a part's bytes are contiguous, so `from` only grows.
    const std::size_t outer = whole.bytes.size() / (extent * inner);
    const std::byte* from = part.bytes.data();
    for (std::size_t i = 0; i < outer; ++i) {
        for (const std::uint32_t index : indices) {
            if (index != kPadding) {
                std::memcpy(whole.bytes.data() + (i * extent + index) * inner, from, inner);
            }
            from += inner;
        }
    }
}

}  // namespace tessera::pipeline
