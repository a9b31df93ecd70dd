// SPDX-License-Identifier: Apache-2.0
// The keys of the `sweep:` block.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "runtime/config/sweep_value.hpp"

namespace tessera::config {

inline constexpr std::array kSweepFields{
    field<&SweepSpec::question>("question", kRequired,
                                "question that the sweep answers; title of its reports"),
    field<&SweepSpec::rank_by>("rank_by", "run",
                               "step whose time ranks the points; run: all steps"),
    field<&SweepSpec::values>("values", "false",
                              "whether values are computed and compared as verify.level states"),
    field<&SweepSpec::cases>(
        "cases", "[]", "given conditions, such as workloads; points are ranked within each case"),
    field<&SweepSpec::points>(
        "points", "[]", "points that set several keys together; each is combined with the grid"),
    field<&SweepSpec::grid>("grid", "{}", "keys and their values; all combinations run"),
};

}  // namespace tessera::config
