// SPDX-License-Identifier: Apache-2.0
// A part of a run that is drawn at full detail, in place of all of it merged.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "tessera/core_coord.hpp"
#include "tessera/timeline.hpp"

namespace tessera::report {

/// What is not named is not narrowed.
struct Focus {
    std::optional<std::string> step;
    std::optional<std::uint16_t> device;
    std::optional<CoreCoord> core;
    /// From the step's begin, or from the run's where no step is named.
    Millicycles from = 0;
    Millicycles to = std::numeric_limits<Millicycles>::max();

    [[nodiscard]] bool holds_launch(const std::string& name) const {
        return !step || *step == name;
    }
    [[nodiscard]] bool holds_core(std::uint16_t on_device, CoreCoord place) const {
        return (!device || *device == on_device) && (!core || *core == place);
    }
};

/// Reads words such as "step=gate", "device=2", "core=4,0", "window=100000..200000" (cycles).
/// Errors   UsageError for another key, a key given twice, a number that is none, an empty window.
[[nodiscard]] Focus parse_focus(std::span<const std::string> words);

}  // namespace tessera::report
