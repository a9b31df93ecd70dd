// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/work_queue.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera::ranks {
namespace {

/// Encodes results as one text. JSON can represent texts of any length and missing ones.
std::string packed(const std::vector<std::optional<std::string>>& results) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& result : results) {
        list.push_back(result ? nlohmann::json(*result) : nlohmann::json());
    }
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::optional<std::string>> unpacked(const std::string& text) {
    std::vector<std::optional<std::string>> results;
    for (const nlohmann::json& result : nlohmann::json::parse(text)) {
        results.push_back(result.is_null() ? std::nullopt
                                           : std::optional(result.get<std::string>()));
    }
    return results;
}

}  // namespace

WorkQueue::WorkQueue(RankLink* link, std::size_t count, OnDone on_done)
    : link_(link), on_done_(std::move(on_done)), results_(count) {
    if (link_ != nullptr && is_first()) {
        num_open_ = link_->size() - 1;
        server_ = std::jthread([this] { serve(); });
    }
}

WorkQueue::~WorkQueue() {
    // Without finish(), an error ends this rank. Its server must not wait for each other rank,
    // which leave() notifies.
    if (!is_finished_) {
        const std::lock_guard lock(mutex_);
        num_open_ = 0;
    }
}

std::optional<std::size_t> WorkQueue::take_here() {
    return next_ < results_.size() && !is_stopped_ ? std::optional(next_++) : std::nullopt;
}

std::optional<std::size_t> WorkQueue::take() {
    const std::lock_guard lock(mutex_);
    if (is_first()) {
        return take_here();
    }
    if (is_stopped_) {
        return std::nullopt;
    }
    link_->send(0, Word::Take);
    const Message answer = wait_for(*link_);
    is_stopped_ = answer.word == Word::NoMore;
    return is_stopped_ ? std::nullopt : std::optional<std::size_t>(answer.piece);
}

void WorkQueue::keep(std::size_t piece, std::string result) {
    results_.at(piece) = std::move(result);
    ++num_done_;
    if (on_done_) {
        on_done_(num_done_);
    }
}

void WorkQueue::give(std::size_t piece, std::string result) {
    const std::lock_guard lock(mutex_);
    if (is_first()) {
        keep(piece, std::move(result));
    } else {
        link_->send(0, Word::Result, piece, result);
    }
}

void WorkQueue::stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
}

void WorkQueue::serve() {
    while (true) {
        {
            const std::lock_guard lock(mutex_);
            if (num_open_ == 0) {
                return;
            }
            while (auto message = link_->poll()) {
                answer(std::move(*message));
            }
        }
        std::this_thread::sleep_for(kPollPause);
    }
}

void WorkQueue::answer(Message message) {
    switch (message.word) {
        case Word::Take: {
            const auto piece = take_here();
            link_->send(message.from, piece ? Word::Piece : Word::NoMore, piece.value_or(0));
            break;
        }
        case Word::Result:
            keep(message.piece, std::move(message.text));
            break;
        case Word::Failed:
            // Its pieces have no result, so each other rank can stop.
            failure_ = fmt::format("rank {}: {}", message.from, message.text);
            is_stopped_ = true;
            --num_open_;
            break;
        default:  // Done
            --num_open_;
            break;
    }
}

std::vector<std::optional<std::string>> WorkQueue::finish() {
    if (!is_first()) {
        const std::lock_guard lock(mutex_);
        link_->send(0, Word::Done);
        Message message = wait_for(*link_);
        is_finished_ = true;
        return unpacked(message.text);
    }
    if (server_.joinable()) {
        server_.join();
    }
    is_finished_ = true;
    require(failure_.empty(), "{}", failure_);
    if (link_ != nullptr) {
        const std::string text = packed(results_);
        for (std::uint32_t rank = 1; rank < link_->size(); ++rank) {
            link_->send(rank, Word::Results, 0, text);
        }
    }
    return std::move(results_);
}

void run_on_threads(std::size_t threads, const std::function<void()>& work) {
    std::vector<std::jthread> others;
    try {
        for (std::size_t i = 1; i < threads; ++i) {
            others.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // The host refuses more threads; those that it gave do the work.
    }
    work();
}

}  // namespace tessera::ranks
