// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/dtype.hpp"

#include <array>

#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

struct Row {
    Dtype dtype;
    const char* name;
    std::uint32_t bits;
    DataFormat format;  ///< Invalid: none
};

constexpr std::array kRows{
    Row{Dtype::BOOL, "BOOL", 8, DataFormat::Invalid},
    Row{Dtype::U8, "U8", 8, DataFormat::UInt8},
    Row{Dtype::I8, "I8", 8, DataFormat::Invalid},
    Row{Dtype::F8_E4M3, "F8_E4M3", 8, DataFormat::Fp8_e4m3},
    Row{Dtype::F8_E5M2, "F8_E5M2", 8, DataFormat::Lf8},
    Row{Dtype::U16, "U16", 16, DataFormat::UInt16},
    Row{Dtype::I16, "I16", 16, DataFormat::Invalid},
    Row{Dtype::F16, "F16", 16, DataFormat::Invalid},
    Row{Dtype::BF16, "BF16", 16, DataFormat::Float16_b},
    Row{Dtype::U32, "U32", 32, DataFormat::UInt32},
    Row{Dtype::I32, "I32", 32, DataFormat::Int32},
    Row{Dtype::F32, "F32", 32, DataFormat::Float32},
    Row{Dtype::U64, "U64", 64, DataFormat::Invalid},
    Row{Dtype::I64, "I64", 64, DataFormat::Invalid},
    Row{Dtype::F64, "F64", 64, DataFormat::Invalid},
    Row{Dtype::F4, "F4", 4, DataFormat::Invalid},
    Row{Dtype::F6_E2M3, "F6_E2M3", 6, DataFormat::Invalid},
    Row{Dtype::F6_E3M2, "F6_E3M2", 6, DataFormat::Invalid},
    Row{Dtype::F8_E8M0, "F8_E8M0", 8, DataFormat::Invalid},
    Row{Dtype::F8_E4M3FNUZ, "F8_E4M3FNUZ", 8, DataFormat::Invalid},
    Row{Dtype::F8_E5M2FNUZ, "F8_E5M2FNUZ", 8, DataFormat::Invalid},
    Row{Dtype::C64, "C64", 64, DataFormat::Invalid},
};

constexpr bool rows_follow_the_enum() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].dtype) != i) {
            return false;
        }
    }
    return true;
}
static_assert(rows_follow_the_enum());

constexpr const Row& row_of(Dtype dtype) noexcept {
    return kRows[static_cast<std::size_t>(dtype)];
}

}  // namespace

const char* name_of(Dtype dtype) noexcept {
    return row_of(dtype).name;
}

std::uint32_t element_bits(Dtype dtype) noexcept {
    return row_of(dtype).bits;
}

std::optional<Dtype> dtype_named(std::string_view name) noexcept {
    for (const Row& row : kRows) {
        if (name == row.name) {
            return row.dtype;
        }
    }
    return std::nullopt;
}

std::string all_dtype_names() {
    std::string names;
    for (const Row& row : kRows) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

std::optional<DataFormat> format_of(Dtype dtype) noexcept {
    const DataFormat format = row_of(dtype).format;
    return format == DataFormat::Invalid ? std::nullopt : std::optional(format);
}

Dtype dtype_of(DataFormat format) {
    for (const Row& row : kRows) {
        if (format != DataFormat::Invalid && row.format == format) {
            return row.dtype;
        }
    }
    throw UsageError(fmt::format("safetensors: format without a dtype: {}",
                                 refusal(name_of(format), all_dtype_names())));
}

}  // namespace tessera
