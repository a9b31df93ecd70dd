// SPDX-License-Identifier: Apache-2.0
// The keys of the `sweep:` block.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "runtime/config/sweep_value.hpp"

namespace tessera::config {

inline constexpr std::array kSweepFields{
    field<&SweepSpec::question>("question", kRequired,
                                "what the sweep is to answer; heads its reports"),
    field<&SweepSpec::rank_by>("rank_by", "run",
                               "step by whose time points are ranked; run is all steps"),
    field<&SweepSpec::values>("values", "false",
                              "compute the values too, and compare them as verify.level says"),
    field<&SweepSpec::cases>(
        "cases", "[]", "what is given, such as a workload: points are ranked within each case"),
    field<&SweepSpec::points>(
        "points", "[]", "points that set several keys together; each is combined with the grid"),
    field<&SweepSpec::grid>("grid", "{}",
                            "keys and the values each takes; all combinations are run"),
};

}  // namespace tessera::config
