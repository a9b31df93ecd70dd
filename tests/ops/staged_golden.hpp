// SPDX-License-Identifier: Apache-2.0
// Comparison of an op's result with a staged tensor of a V2 golden file, at its stated tolerance.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/tensor_compare.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::testing {

/// Returns the counts of one device's experts.
inline std::vector<std::uint32_t> golden_counts(const golden::GoldenFile& file,
                                                const std::string& prefix) {
    return file.tensor(prefix + "num_routed_tokens").as<std::uint32_t>();
}

/// Expects `result` to equal `name` as its entry in index.json requires.
inline void expect_staged(const golden::GoldenFile& file, const std::string& name,
                          const HostTensor& result) {
    const auto& stated = file.entry_of(name).at("tolerance");
    const UlpTolerance tolerance{stated.at("max_ulp").get<double>(),
                                 stated.at("atol").get<double>(),
                                 stated.at("mismatch_fraction_max").get<double>()};
    const HostTensor reference = golden_tensor(file, name);
    ASSERT_EQ(result.shape, reference.shape);
    const UlpCloseness closeness = compare_ulps(result, reference, tolerance);
    EXPECT_TRUE(closeness.passes(tolerance))
        << name << ": " << closeness.num_mismatches << " of " << closeness.num_elements
        << " differ, by " << closeness.max_ulp_beyond_atol << " ulp at most";
}

}  // namespace tessera::testing
