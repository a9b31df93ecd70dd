// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/builtin_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera {
namespace {

TEST(BuiltinTable, IsSortedBySourceWithoutDoubles) {
    const auto kernels = builtin_kernels();

    const auto out_of_order = std::ranges::adjacent_find(
        kernels, [](const auto& a, const auto& b) { return a.source >= b.source; });

    EXPECT_EQ(out_of_order, kernels.end());
}

TEST(BuiltinTable, FindsEachOfItsRows) {
    for (const BuiltinKernel& row : builtin_kernels()) {
        EXPECT_EQ(find_builtin(row.source), &row);
        EXPECT_NE(row.kernel->entry, nullptr) << row.source;
    }
}

TEST(BuiltinTable, KnowsNoOtherSource) {
    EXPECT_EQ(find_builtin("ops/none/kernels/none.cpp"), nullptr);
    EXPECT_EQ(find_builtin(""), nullptr);
}

}  // namespace
}  // namespace tessera
