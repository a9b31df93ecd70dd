// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process: the queue's rules, without MPI.
#include "runtime/ranks/work_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "tessera/errors.hpp"

namespace tessera::ranks {
namespace {

using testing::ElementsAre;

/// Mailboxes of all ranks.
struct Mail {
    std::mutex mutex;
    std::map<std::uint32_t, std::deque<Message>> boxes;
};

class ThreadLink : public RankLink {
public:
    ThreadLink(Mail& mail, std::uint32_t rank, std::uint32_t size)
        : mail_(mail), rank_(rank), size_(size) {}
    [[nodiscard]] std::uint32_t rank() const noexcept override { return rank_; }
    [[nodiscard]] std::uint32_t size() const noexcept override { return size_; }
    void send(std::uint32_t to, Word word, std::uint64_t piece, std::string_view text) override {
        const std::lock_guard lock(mail_.mutex);
        mail_.boxes[to].push_back({rank_, word, piece, std::string(text)});
    }
    [[nodiscard]] std::optional<Message> poll() override {
        const std::lock_guard lock(mail_.mutex);
        std::deque<Message>& box = mail_.boxes[rank_];
        if (box.empty()) {
            return std::nullopt;
        }
        Message message = std::move(box.front());
        box.pop_front();
        return message;
    }

private:
    Mail& mail_;
    std::uint32_t rank_;
    std::uint32_t size_;
};

using Results = std::vector<std::optional<std::string>>;

/// Runs `work` as each of `size` ranks.
void on_ranks(std::uint32_t size, const std::function<void(RankLink&)>& work) {
    Mail mail;
    std::vector<std::jthread> ranks;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        ranks.emplace_back([&mail, &work, rank, size] {
            ThreadLink link(mail, rank, size);
            work(link);
        });
    }
}

/// Returns the square of each piece.
Results squares(RankLink* link, std::size_t count, std::size_t threads) {
    WorkQueue queue(link, count);
    run_on_threads(threads, [&] {
        while (const auto piece = queue.take()) {
            queue.give(*piece, std::to_string(*piece * *piece));
        }
    });
    return queue.finish();
}

Results expected_squares(std::size_t count) {
    Results results;
    for (std::size_t i = 0; i < count; ++i) {
        results.emplace_back(std::to_string(i * i));
    }
    return results;
}

TEST(WorkQueue, OneProcessComputesAllPieces) {
    EXPECT_EQ(squares(nullptr, 100, 3), expected_squares(100));
    EXPECT_EQ(squares(nullptr, 0, 1), Results());
}

class OnRanks : public testing::TestWithParam<std::uint32_t> {};

TEST_P(OnRanks, EachRankHasAllResultsInOrder) {
    std::mutex mutex;
    std::vector<Results> results;

    on_ranks(GetParam(), [&](RankLink& link) {
        for (int round = 0; round < 3; ++round) {  // several queues in sequence
            Results mine = squares(&link, 50, 2);
            const std::lock_guard lock(mutex);
            results.push_back(std::move(mine));
        }
    });

    EXPECT_EQ(results.size(), 3 * GetParam());
    EXPECT_THAT(results, testing::Each(expected_squares(50)));
}

TEST_P(OnRanks, ATextOfTheFirstReachesAll) {
    std::mutex mutex;
    std::vector<std::string> texts;

    on_ranks(GetParam(), [&](RankLink& link) {
        std::string text = shared_text(&link, link.rank() == 0 ? "first" : "other");
        const std::lock_guard lock(mutex);
        texts.push_back(std::move(text));
    });

    EXPECT_THAT(texts, testing::Each("first"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, OnRanks, testing::Values(1U, 2U, 3U, 8U));

TEST(WorkQueue, PiecesThatNobodyTookHaveNoResult) {
    WorkQueue queue(nullptr, 3);
    const auto piece = queue.take();
    queue.stop();
    queue.give(piece.value(), "done");

    EXPECT_THAT(queue.finish(), ElementsAre("done", std::nullopt, std::nullopt));
}

TEST(WorkQueue, TheErrorOfAnotherRankEndsTheFirst) {
    std::string message;

    on_ranks(2, [&](RankLink& link) {
        if (link.rank() == 1) {
            (void)leave(link, Ending::Own, "the file of this rank is missing");
            return;
        }
        try {
            (void)squares(&link, 4, 1);
        } catch (const UsageError& error) {
            message = error.what();
        }
        (void)leave(link, Ending::Own, "");
    });

    EXPECT_EQ(message, "rank 1: the file of this rank is missing");
}

TEST(WorkQueue, TheEndOfTheFirstEndsAWaitingRank) {
    bool is_over = false;

    on_ranks(2, [&](RankLink& link) {
        if (link.rank() == 0) {
            EXPECT_EQ(leave(link, Ending::Own, ""), "");
            return;
        }
        try {
            (void)squares(&link, 4, 1);
        } catch (const RunOver&) {
            is_over = true;
        }
        (void)leave(link, Ending::ByFirst, "");
    });

    EXPECT_TRUE(is_over);
}

TEST(WorkQueue, CountsResultsOfAllRanks) {
    std::vector<std::size_t> counts;

    on_ranks(3, [&](RankLink& link) {
        WorkQueue queue(&link, 5, [&](std::size_t done) { counts.push_back(done); });
        while (const auto piece = queue.take()) {
            queue.give(*piece, "");
        }
        (void)queue.finish();
    });

    EXPECT_THAT(counts, ElementsAre(1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace tessera::ranks
