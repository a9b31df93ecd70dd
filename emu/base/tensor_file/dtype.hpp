// SPDX-License-Identifier: Apache-2.0
// Element types of safetensors files and the matching device formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/data_format.hpp"

namespace tessera {

/// Types of the safetensors format, spelt as in its header.
enum class Dtype : std::uint8_t {
    BOOL,
    U8,
    I8,
    F8_E4M3,
    F8_E5M2,
    U16,
    I16,
    F16,
    BF16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    F4,
    F6_E2M3,
    F6_E3M2,
    F8_E8M0,
    F8_E4M3FNUZ,
    F8_E5M2FNUZ,
    C64
};

/// Returns "BF16", "U32", …
[[nodiscard]] const char* name_of(Dtype dtype) noexcept;
/// Returns the bits of one element; packed types have less than 8.
[[nodiscard]] std::uint32_t element_bits(Dtype dtype) noexcept;
[[nodiscard]] std::optional<Dtype> dtype_named(std::string_view name) noexcept;
/// Returns "BOOL, U8, …", for messages.
[[nodiscard]] std::string all_dtype_names();

/// Returns the device format with the same elements; nothing for 64 bits, F16, I8, BOOL and the
/// types below F64 in the list.
[[nodiscard]] std::optional<DataFormat> format_of(Dtype dtype) noexcept;
/// Errors   UsageError for block formats, which safetensors files cannot hold.
[[nodiscard]] Dtype dtype_of(DataFormat format);

}  // namespace tessera
