// SPDX-License-Identifier: Apache-2.0
// Runtime arguments of a kernel on one core, for changes between launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tt::tt_metal {

/// View of the arguments, valid until SetRuntimeArgs is called for that core.
struct RuntimeArgsData {
    std::uint32_t* rt_args_data = nullptr;
    std::size_t rt_args_count = 0;

    std::uint32_t& at(std::size_t index) {
        if (index >= rt_args_count) {
            throw std::out_of_range("runtime argument " + std::to_string(index) +
                                    ", allowed: below " + std::to_string(rt_args_count));
        }
        return rt_args_data[index];
    }
    [[nodiscard]] const std::uint32_t& at(std::size_t index) const {
        return const_cast<RuntimeArgsData*>(this)->at(index);
    }
    std::uint32_t& operator[](std::size_t index) { return at(index); }
    const std::uint32_t& operator[](std::size_t index) const { return at(index); }
    [[nodiscard]] std::uint32_t* data() noexcept { return rt_args_data; }
    [[nodiscard]] const std::uint32_t* data() const noexcept { return rt_args_data; }
    [[nodiscard]] std::size_t size() const noexcept { return rt_args_count; }
    [[nodiscard]] std::uint32_t* begin() noexcept { return rt_args_data; }
    [[nodiscard]] std::uint32_t* end() noexcept { return rt_args_data + rt_args_count; }
};

}  // namespace tt::tt_metal
