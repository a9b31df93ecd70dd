// SPDX-License-Identifier: Apache-2.0
// A program: kernels, circular buffers and semaphores of one launch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "tt-metalium/base_types.hpp"
#include "tt-metalium/core_coord.hpp"

namespace tt::tt_metal {

namespace detail {
struct ProgramState;
}

using CoreSpecification = std::variant<CoreCoord, CoreRange, CoreRangeSet>;

/// Description of a program. It may be launched many times, and changed between launches.
class Program {
public:
    Program();
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    Program(Program&&) noexcept = default;
    Program& operator=(Program&&) noexcept = default;

    /// Sets the number under which traces and profiles list the program's launches.
    void set_runtime_id(ProgramId id);
    [[nodiscard]] ProgramId get_runtime_id() const;
    [[nodiscard]] ProgramId get_id() const;
    [[nodiscard]] std::size_t num_kernels() const;

    [[nodiscard]] detail::ProgramState& state() const { return *state_; }

private:
    std::shared_ptr<detail::ProgramState> state_;
};

}  // namespace tt::tt_metal
