// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/dependency_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DependencyList, PartsWordsAcrossContinuedLines) {
    EXPECT_THAT(dependencies_in("k.o: a.cpp \\\n  /usr/b.hpp c.hpp \\\n  d.hpp\n"),
                ElementsAre("a.cpp", "/usr/b.hpp", "c.hpp", "d.hpp"));
}

TEST(DependencyList, KeepsEscapedSpacesInNames) {
    EXPECT_THAT(dependencies_in("k.o: my\\ folder/a.cpp b.hpp\n"),
                ElementsAre("my folder/a.cpp", "b.hpp"));
}

TEST(DependencyList, KeepsEscapedSignsInNames) {
    EXPECT_THAT(dependencies_in("k.o: a\\#1.cpp b$$2.hpp c\\\\d.hpp\n"),
                ElementsAre("a#1.cpp", "b$2.hpp", "c\\\\d.hpp"));
}

TEST(DependencyList, IsEmptyForARuleWithoutAny) {
    EXPECT_THAT(dependencies_in("k.o:\n"), IsEmpty());
    EXPECT_THAT(dependencies_in(""), IsEmpty());
}

}  // namespace
}  // namespace tessera
