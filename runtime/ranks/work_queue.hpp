// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work that threads of all ranks take one by one.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/ranks/rank_link.hpp"

namespace tessera::ranks {

/// The pieces 0 to count − 1. Each rank makes the same queues in the same order and finishes each
/// before it makes the next. All calls but finish() are safe from several threads.
class WorkQueue {
public:
    /// Called on rank 0 with the number of pieces that have a result, from one thread at a time.
    using OnDone = std::function<void(std::size_t num_done)>;

    /// `link` is null in a run of one process.
    WorkQueue(RankLink* link, std::size_t count, OnDone on_done = {});
    ~WorkQueue();
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    /// Returns a piece that no rank has taken; nothing if none is left.
    [[nodiscard]] std::optional<std::size_t> take();
    /// Gives the result of a piece that take() returned.
    void give(std::size_t piece, std::string result);
    /// Makes this rank take no further piece; on rank 0, all ranks.
    void stop();
    /// Waits for the pieces of all ranks. Returns the result of each piece, equal on all ranks;
    /// nothing for pieces that no rank took.
    /// Errors   UsageError at rank 0 if another rank ended with an error; RunOver at another rank
    ///          whose run rank 0 has ended.
    [[nodiscard]] std::vector<std::optional<std::string>> finish();

private:
    [[nodiscard]] bool is_first() const noexcept { return ranks::is_first(link_); }
    std::optional<std::size_t> take_here();
    void keep(std::size_t piece, std::string result);
    /// Answers the other ranks until each is done.
    void serve();
    void answer(Message message);

    RankLink* link_;
    OnDone on_done_;
    std::mutex mutex_;
    std::size_t next_ = 0;
    std::size_t num_done_ = 0;
    bool is_stopped_ = false;
    bool is_finished_ = false;
    std::uint32_t num_open_ = 0;  ///< other ranks that are not done
    std::string failure_;         ///< failure of another rank
    std::vector<std::optional<std::string>> results_;
    std::jthread server_;  ///< thread of rank 0
};

/// Runs `work` on `threads` threads, this one among them; fewer if the host refuses threads
/// (ulimit -u).
void run_on_threads(std::size_t threads, const std::function<void()>& work);

}  // namespace tessera::ranks
