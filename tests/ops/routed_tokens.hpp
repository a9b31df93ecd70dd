// SPDX-License-Identifier: Apache-2.0
// Inputs and expectations of ops over each expert's first num_routed_tokens rows.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/base/bf16.hpp"
#include "emu/base/random_tensor.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera::testing {

/// Uploads counts as (E/D,1) uint32.
inline DeviceTensor put_counts(OneDevice& device, const std::vector<std::uint32_t>& counts) {
    const Shape shape{static_cast<std::uint32_t>(counts.size()), 1};
    return device.put("num_routed_tokens", host_tensor(shape, DataFormat::UInt32, counts));
}

/// Returns (E,T,H) normal bfloat16 values; every row after an expert's count is NaN.
inline HostTensor routed_values(const Shape& shape, std::span<const std::uint32_t> counts,
                                std::uint64_t seed) {
    HostTensor tensor = make_normal_bf16(shape, {.seed = seed});
    const auto values = tensor.as<std::uint16_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t row = i / shape[2];
        values[i] = row % shape[1] < counts[row / shape[1]] ? values[i] : std::uint16_t{0xFFFF};
    }
    return tensor;
}

/// Returns the written, packed and multiplied amounts of each core that wrote anything.
inline std::vector<std::string> work_of_cores(const LaunchResult& launch) {
    std::vector<std::string> work;
    for (const CoreActivity& core : launch.cores) {
        if (core.bytes_written != 0) {
            work.push_back(fmt::format("{}: {} B written, {} tiles packed, {} multiplied",
                                       to_string(core.core), core.bytes_written, core.tiles_packed,
                                       core.tiles_multiplied));
        }
    }
    return work;
}

/// Returns the indices of nonzero rows of a (E,T,H) tensor after each expert's count.
inline std::vector<std::size_t> nonzero_rows_behind(const HostTensor& tensor,
                                                    std::span<const std::uint32_t> counts) {
    const auto values = tensor.as<std::uint16_t>();
    const std::size_t columns = tensor.shape[2];
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < values.size() / columns; ++row) {
        bool is_zero = true;
        for (std::size_t column = 0; column < columns; ++column) {
            is_zero = is_zero && values[row * columns + column] == 0;
        }
        if (!is_zero && row % tensor.shape[1] >= counts[row / tensor.shape[1]]) {
            rows.push_back(row);
        }
    }
    return rows;
}

}  // namespace tessera::testing
