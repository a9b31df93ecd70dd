// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of one parallel run: `mpirun -n R tessera …`.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::ranks {

/// Kind of a message. Rank 0 answers requests; the other ranks only talk to rank 0.
enum class Word : std::uint8_t {
    Take,     ///< to rank 0: requests a piece of work
    Piece,    ///< from rank 0: the number of a piece
    NoMore,   ///< from rank 0: no piece is left
    Result,   ///< to rank 0: the number of a piece, and its result
    Done,     ///< to rank 0: this rank has no running piece
    Results,  ///< from rank 0: the results of all pieces
    Shared,   ///< from rank 0: a text that all ranks need
    Failed,   ///< to rank 0: this rank ends with an error, which is the text
    Leave,    ///< to rank 0: this rank ends
    End       ///< from rank 0: the run is over
};

/// A message as it arrives.
struct Message {
    std::uint32_t from = 0;
    Word word = Word::End;
    std::uint64_t piece = 0;
    std::string text;
};

/// Thrown on a rank after rank 0 has ended the run: the process ends without a message.
struct RunOver {};

/// Connection of one process to each other process of its run. Calls must not overlap in time; any
/// thread may make them.
class RankLink {
public:
    RankLink() = default;
    RankLink(const RankLink&) = delete;
    RankLink& operator=(const RankLink&) = delete;
    virtual ~RankLink() = default;

    /// Returns the number of this process, from 0.
    [[nodiscard]] virtual std::uint32_t rank() const noexcept = 0;
    [[nodiscard]] virtual std::uint32_t size() const noexcept = 0;
    /// Sends a message. Messages between two ranks arrive in order. May wait until the other rank
    /// polls.
    virtual void send(std::uint32_t to, Word word, std::uint64_t piece = 0,
                      std::string_view text = {}) = 0;
    /// Returns the next message of any rank, or nothing if none has arrived.
    [[nodiscard]] virtual std::optional<Message> poll() = 0;
};

/// Pause between two polls: short compared with a piece of work, which takes 10 ms and more, and
/// long enough to leave the processor to other ranks of the host. MPI's own wait would spin.
inline constexpr std::chrono::microseconds kPollPause{200};

/// Returns the link of this process if `mpirun` started it with other ranks; null otherwise.
/// Errors   UsageError if `mpirun` started several ranks and this build has no MPI.
[[nodiscard]] std::unique_ptr<RankLink> open_link();

/// Returns whether this process is the one that prints and writes files.
[[nodiscard]] inline bool is_first(const RankLink* link) noexcept {
    return link == nullptr || link->rank() == 0;
}

/// Returns the next message from rank 0. A waiting rank leaves its processor to others.
[[nodiscard]] Message wait_for(RankLink& link);

/// Returns the text of rank 0 on all ranks. Each rank calls it at the same place of its work.
[[nodiscard]] std::string shared_text(RankLink* link, std::string_view text);

/// How the work of a rank ended.
enum class Ending : std::uint8_t {
    Own,     ///< by itself, with or without an error
    ByFirst  ///< by RunOver
};

/// Tells the other ranks that this one ends, and waits for them. `error` is empty after success.
/// Rank 0 returns the error of another rank, or "".
[[nodiscard]] std::string leave(RankLink& link, Ending ending, std::string_view error);

}  // namespace tessera::ranks
