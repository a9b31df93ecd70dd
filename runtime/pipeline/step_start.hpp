// SPDX-License-Identifier: Apache-2.0
// What a run says of a step before it is launched.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tessera::run {

/// A step that is about to be launched.
struct StepStart {
    std::uint32_t number = 0;  ///< from 1
    std::uint32_t num_steps = 0;
    std::string name;
};
using OnStep = std::function<void(const StepStart&)>;

}  // namespace tessera::run
