// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/rank_link.hpp"

#include <fmt/format.h>

#include <thread>

#include "tessera/errors.hpp"

namespace tessera::ranks {
namespace {

Message next_of(RankLink& link) {
    std::optional<Message> message = link.poll();
    while (!message) {
        std::this_thread::sleep_for(kPollPause);
        message = link.poll();
    }
    return std::move(*message);
}

}  // namespace

Message wait_for(RankLink& link) {
    Message message = next_of(link);
    if (message.word == Word::End) {
        throw RunOver();
    }
    return message;
}

std::string shared_text(RankLink* link, std::string_view text) {
    if (link == nullptr) {
        return std::string(text);
    }
    if (link->rank() != 0) {
        Message message = wait_for(*link);
        ensure(message.word == Word::Shared, "rank {} expected a text", link->rank());
        return std::move(message.text);
    }
    for (std::uint32_t rank = 1; rank < link->size(); ++rank) {
        link->send(rank, Word::Shared, 0, text);
    }
    return std::string(text);
}

std::string leave(RankLink& link, Ending ending, std::string_view error) {
    if (link.rank() != 0) {
        if (!error.empty()) {
            link.send(0, Word::Failed, 0, error);
        }
        while (ending == Ending::Own && next_of(link).word != Word::End) {
        }
        link.send(0, Word::Leave);
        return "";
    }
    for (std::uint32_t rank = 1; rank < link.size(); ++rank) {
        link.send(rank, Word::End);
    }
    std::string first;
    for (std::uint32_t open = link.size() - 1; open > 0;) {
        const Message message = next_of(link);
        if (message.word == Word::Failed && first.empty()) {
            first = fmt::format("rank {}: {}", message.from, message.text);
        }
        open -= message.word == Word::Leave ? 1 : 0;
    }
    return first;
}

}  // namespace tessera::ranks
