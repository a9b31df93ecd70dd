// SPDX-License-Identifier: Apache-2.0
// Bounds of the advisor against the keys of `timing:`. Each constant is in a bound or listed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/config/field_table.hpp"
#include "runtime/study/advice.hpp"
#include "tests/case_name.hpp"

namespace tessera::advise {
namespace {

using config::Bound;
using testing::UnorderedElementsAre;

bool is_of_a_rule(Bound bound) {
    return std::ranges::any_of(all_rules(), [&](const Rule& rule) {
        return std::ranges::find(rule.bounds, bound) != rule.bounds.end();
    });
}

TEST(AdviceBounds, HoldEveryKeyOfTimingButThoseListedHere) {
    std::vector<std::string> of_none;
    for (const config::FieldRow& row : config::flatten(config::timing_fields())) {
        const std::optional<Bound> bound = config::bound_of(row.path);
        ASSERT_TRUE(bound.has_value()) << row.path;
        if (*bound == Bound::None) {
            of_none.push_back(row.path);
        } else {
            EXPECT_TRUE(is_of_a_rule(*bound)) << row.path;
        }
    }
    std::erase_if(of_none, [](const std::string& key) { return key.starts_with("model_error."); });

    EXPECT_THAT(of_none, UnorderedElementsAre(
                             // profiler zones
                             "risc.zone_mark",
                             // the trace fixes packet sizes and links
                             "link.max_payload", "link.links_per_direction"));
}

struct KeyOfBound {
    const char* key;
    Bound bound;
};

class AdviceBound : public testing::TestWithParam<KeyOfBound> {};

TEST_P(AdviceBound, HoldsTheKey) {
    EXPECT_EQ(config::bound_of(GetParam().key), GetParam().bound);
}

// Keys by what they price, in the words of the table.
INSTANTIATE_TEST_SUITE_P(Keys, AdviceBound,
                         testing::Values(KeyOfBound{"dispatch.kernel_copy", Bound::Launch},
                                         KeyOfBound{"dispatch.write_arguments", Bound::Launch},
                                         KeyOfBound{"dispatch.start_spread", Bound::Launch},
                                         KeyOfBound{"dram.write_port_rate", Bound::Dram},
                                         KeyOfBound{"dram.write_buffer", Bound::Dram},
                                         KeyOfBound{"link.mux_slot", Bound::MeshLinks},
                                         KeyOfBound{"link.mux_credit", Bound::MeshLinks},
                                         KeyOfBound{"risc.instruction", Bound::Instructions},
                                         KeyOfBound{"risc.dividend_bit", Bound::Instructions},
                                         KeyOfBound{"noc.outstanding_reads", Bound::NocInFlight},
                                         KeyOfBound{"sfpu.functions.<function>", Bound::Engines}),
                         [](const auto& key) { return testing_support::case_name(key.param.key); });

}  // namespace
}  // namespace tessera::advise
