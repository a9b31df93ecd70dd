// SPDX-License-Identifier: Apache-2.0
// Checks of the tensors given to an op, and what its messages call them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/data_format.hpp"
#include "tessera/errors.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// "(4,32) uint32 ROW_MAJOR".
[[nodiscard]] inline std::string describe(const TensorSpec& spec) {
    return fmt::format("{} {} {}", to_string(spec.shape), name_of(spec.format),
                       spec.layout == Layout::TILE ? "TILE" : "ROW_MAJOR");
}

/// Built-in kernels take the accessors of several tensors at fixed places among their compile-time
/// arguments, which holds for interleaved tensors only.
/// Errors   UsageError naming op and tensor.
inline void expect_interleaved(std::string_view op, std::string_view name,
                               const DeviceTensor& tensor) {
    require(tensor.buffer.layout == TensorMemoryLayout::INTERLEAVED,
            "{}: {} is sharded; it must be interleaved", op, name);
}

/// Errors   UsageError naming op and tensor, with what it is and what it must be; or if it is
///          sharded.
inline void expect_tensor(std::string_view op, std::string_view name, const DeviceTensor& tensor,
                          const TensorSpec& expected) {
    require(tensor.spec == expected, "{}: {} is {}; it must be {}", op, name, describe(tensor.spec),
            describe(expected));
    expect_interleaved(op, name, tensor);
}

/// Checks what other tensors' specs are derived from.
/// Errors   UsageError if an extent is 0, rank, format or layout differ, or it is sharded.
inline void expect_rank(std::string_view op, std::string_view name, const DeviceTensor& tensor,
                        std::size_t rank, DataFormat format, Layout layout) {
    const TensorSpec& spec = tensor.spec;
    require(spec.shape.size() == rank && num_elements(spec.shape) > 0 && spec.format == format &&
                spec.layout == layout,
            "{}: {} is {}; it must be {} {} of rank {} without an extent of 0", op, name,
            describe(spec), name_of(format), layout == Layout::TILE ? "TILE" : "ROW_MAJOR", rank);
    expect_interleaved(op, name, tensor);
}

}  // namespace tessera::ops
