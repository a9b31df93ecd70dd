// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {
namespace {

class WorkerPoolForEach : public ::testing::TestWithParam<std::uint32_t> {
protected:
    WorkerPool pool_{GetParam()};
};

TEST_P(WorkerPoolForEach, VisitsEachNumberOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 100U}) {
        std::vector<std::atomic<int>> visits(count);

        pool_.for_each(count, [&](std::size_t i) { ++visits[i]; });

        for (const auto& times : visits) {
            EXPECT_EQ(times, 1) << "of " << count;
        }
    }
}

TEST_P(WorkerPoolForEach, GivesTheErrorOfTheLowestNumberWhenAllAreVisited) {
    std::atomic<int> visits = 0;
    std::string heard;
    try {
        pool_.for_each(50, [&](std::size_t i) {
            ++visits;
            if (i % 20 == 7) {
                throw std::runtime_error(std::to_string(i));
            }
        });
    } catch (const std::runtime_error& error) {
        heard = error.what();
    }

    EXPECT_EQ(heard, "7");
    EXPECT_EQ(visits, 50);
}

INSTANTIATE_TEST_SUITE_P(Workers, WorkerPoolForEach, ::testing::Values(1, 2, 5),
                         [](const auto& param) { return "On" + std::to_string(param.param); });

}  // namespace
}  // namespace tessera
