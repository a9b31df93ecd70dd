// SPDX-License-Identifier: Apache-2.0
// Golden tensors as host tensors.
#pragma once

#include <stdexcept>
#include <string>

#include "tessera/tensor.hpp"
#include "tests/golden/golden_file.hpp"

namespace tessera::testing {

inline DataFormat format_of_dtype(const std::string& dtype) {
    if (dtype == "BF16") {
        return DataFormat::Float16_b;
    }
    if (dtype == "F32") {
        return DataFormat::Float32;
    }
    if (dtype == "U32") {
        return DataFormat::UInt32;
    }
    if (dtype == "I32") {
        return DataFormat::Int32;
    }
    if (dtype == "F8_E4M3") {
        return DataFormat::Fp8_e4m3;
    }
    throw std::runtime_error("no device format for golden dtype " + dtype);
}

inline HostTensor golden_tensor(const golden::GoldenFile& file, const std::string& name) {
    golden::GoldenTensor stored = file.tensor(name);
    return {stored.shape, format_of_dtype(stored.dtype), std::move(stored.bytes)};
}

/// Returns row `row` of a matrix as a vector.
inline HostTensor golden_row(const golden::GoldenFile& file, const std::string& name,
                             std::uint32_t row) {
    const HostTensor matrix = golden_tensor(file, name);
    const std::size_t bytes = matrix.bytes.size() / matrix.shape.at(0);
    const auto first = matrix.bytes.begin() + static_cast<std::ptrdiff_t>(row * bytes);
    return {
        {matrix.shape.at(1)}, matrix.format, {first, first + static_cast<std::ptrdiff_t>(bytes)}};
}

/// Devices of every V2 golden file.
struct GoldenDevice {
    const char* file;
    std::uint32_t device;

    [[nodiscard]] std::string prefix() const { return "d" + std::to_string(device) + "."; }
    [[nodiscard]] std::string name() const {
        return std::string(file) + "_d" + std::to_string(device);
    }
    friend void PrintTo(const GoldenDevice& device, std::ostream* out) { *out << device.name(); }
};

inline std::vector<GoldenDevice> golden_devices() {
    std::vector<GoldenDevice> devices;
    for (const auto& [file, count] :
         {std::pair{"v2_d1_basic", 1U}, std::pair{"v2_d2_decode_t1", 2U},
          std::pair{"v2_d2_uneven", 2U}, std::pair{"v2_d4_mid", 4U}, std::pair{"v2_d4_zipf", 4U},
          std::pair{"v2_d8_one_expert", 8U}}) {
        for (std::uint32_t device = 0; device < count; ++device) {
            devices.push_back({file, device});
        }
    }
    return devices;
}

}  // namespace tessera::testing
