// SPDX-License-Identifier: Apache-2.0
// Part of a run that is drawn at full detail, instead of the whole run merged.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "tessera/core_coord.hpp"
#include "tessera/timeline.hpp"

namespace tessera::report {

/// Selected part; an empty member selects all.
struct Focus {
    std::optional<std::string> step;
    std::optional<std::uint16_t> device;
    std::optional<CoreCoord> core;
    /// Relative to the start of the step, or of the run if no step is named.
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
/// Errors   UsageError for another key, a duplicate key, an invalid number, an empty window.
[[nodiscard]] Focus parse_focus(std::span<const std::string> words);

}  // namespace tessera::report
