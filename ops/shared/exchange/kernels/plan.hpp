// SPDX-License-Identifier: Apache-2.0
// Plan of one core of a collective, made by the host (ops/shared/exchange/plan.hpp). The three
// kernels of a core iterate over it in the same way: phases, rounds in a phase, steps in a round.
#pragma once

#include <cstdint>

#include "../../kernels/arithmetic.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::exchange;

inline constexpr uint32_t kCbLocal = index_of(Cb::Local);
inline constexpr uint32_t kCbReceived = index_of(Cb::Received);
inline constexpr uint32_t kCbPartial = index_of(Cb::Partial);
inline constexpr uint32_t kCbReduced = index_of(Cb::Reduced);
inline constexpr uint32_t kCbGathered = index_of(Cb::Gathered);
inline constexpr uint32_t kCbOwn = index_of(Cb::Own);
inline constexpr uint32_t kCbEarlier = index_of(Cb::Earlier);
inline constexpr uint32_t kCbLater = index_of(Cb::Later);
inline constexpr uint32_t kCbZeros = index_of(Cb::Zeros);

inline constexpr uint32_t kBlocksOfATurn = 4;  // the number that the reader reads at once

// Part of a slice that is handled in one round. Bytes count from the start of a tensor whose pages
// are contiguous, padding included.
struct Piece {
    uint32_t read_begin;
    uint32_t store_begin;
    uint32_t bytes;

    uint32_t num_blocks(uint32_t block_bytes) const { return div_up(bytes, block_bytes); }
};

struct Step {
    uint32_t flags;
    uint32_t read_begin;
    uint32_t store_begin;
    uint32_t bytes;

    bool reads() const { return flags & kReads; }
    bool receives() const { return flags & kReceives; }
    bool stores() const { return flags & kStores; }
    bool sends() const { return flags & kSends; }
    Place source() const { return static_cast<Place>(flags >> kSourceShift & 3); }
    Place destination() const { return static_cast<Place>(flags >> kDestinationShift & 3); }
    // Circular buffers of own tiles that are summed, and of sums. The workspace holds sums as they
    // travel; all else is bfloat16.
    uint32_t own_cb(bool travels_as_fp32) const {
        return travels_as_fp32 && source() == Place::Workspace ? kCbEarlier : kCbLocal;
    }
    uint32_t sum_cb(bool travels_as_fp32) const {
        return sends()                                                ? kCbPartial
               : travels_as_fp32 && destination() == Place::Workspace ? kCbLater
                                                                      : kCbReduced;
    }

    // Returns the piece from `begin` on in the step's bytes.
    Piece piece(uint32_t begin, uint32_t round_bytes) const {
        const uint32_t left = bytes > begin ? bytes - begin : 0;
        return {read_begin + begin, store_begin + begin, left < round_bytes ? left : round_bytes};
    }
};

// A step and the part of its piece to handle.
struct Turn {
    Step step;
    Piece piece;

    bool is_done() const { return piece.bytes == 0; }
    // Cuts off at most `most` bytes.
    Turn take(uint32_t most) {
        const Turn taken{
            step, {piece.read_begin, piece.store_begin, most < piece.bytes ? most : piece.bytes}};
        piece.read_begin += taken.piece.bytes;
        piece.store_begin += taken.piece.bytes;
        piece.bytes -= taken.piece.bytes;
        return taken;
    }
};

// Steps with the same neighbours.
struct Phase {
    uint32_t first_arg;  // index of its runs of steps
    uint32_t end_arg;
    bool sums;             // own and received tiles are added
    uint32_t to_next;      // connection | hops << 8; kNoRoute: no route
    uint32_t to_previous;  // for credits
    uint32_t next;         // devices: where a route has no hops, the mesh finds it
    uint32_t previous;
    uint32_t credit;           // own word that the next device counts up
    uint32_t previous_credit;  // word of the previous device
    uint32_t block_tiles;      // tiles of a packet

    uint32_t block_bytes() const { return block_tiles * kUnitBytes; }
    // Returns whether own tiles are sums of a phase before, as they travel; all steps of a phase
    // read the same tensor.
    bool reads_sums(bool travels_as_fp32) const {
        return first_arg != end_arg && Step{get_arg_val<uint32_t>(first_arg), 0, 0, 0}.own_cb(
                                           travels_as_fp32) == kCbEarlier;
    }
};

// The steps of a phase, one after the other, out of its runs.
class Steps {
public:
    explicit Steps(const Phase& phase) : next_arg_(phase.first_arg), end_arg_(phase.end_arg) {}

    bool is_at_end() const { return left_ == 0 && next_arg_ == end_arg_; }
    // Precondition   !is_at_end().
    Step next() {
        if (left_ == 0) {
            read_run();
        } else {
            step_.read_begin += read_distance_;
            step_.store_begin += store_distance_;
        }
        --left_;
        return step_;
    }

private:
    void read_run() {
        const auto run = RunWords::read(next_arg_);
        step_ = {run.head & 0xFF, run.read_begin, run.store_begin, run.bytes};
        left_ = run.head >> 8;
        next_arg_ += RunWords::kCount;
        if (left_ > 1) {
            const auto distance = RunDistance::read(next_arg_);
            read_distance_ = distance.read_begin;
            store_distance_ = distance.store_begin;
            next_arg_ += RunDistance::kCount;
        }
    }

    uint32_t next_arg_;  // index of the next run
    uint32_t end_arg_;
    uint32_t left_ = 0;  // steps of this run
    Step step_{};
    uint32_t read_distance_ = 0;
    uint32_t store_distance_ = 0;
};

// The phases of one core.
struct Plan : PlanHead {
    uint32_t first_arg;  // index of the first phase

    uint32_t num_slots() const { return tessera::ops::exchange::num_slots(chunk); }
    // The sender is told of so many slots together. The packet that tells it takes 57 cycles of the
    // link: 2 % of what sums in float32 take, were it sent for half a chunk.
    uint32_t slots_of_a_grant() const { return chunk; }

    // Calls act(phase) for each phase in order.
    template <typename Act>
    void for_each_phase(Act act) const {
        uint32_t at = first_arg;
        for (uint32_t i = 0; i < num_phases; ++i) {
            const PhaseHead::Each head{at};
            const uint32_t sizes = head.sizes();
            const uint32_t first = at + PhaseHead::kCount;
            const uint32_t end = first + (sizes >> 1 & 0x7FFF);
            const bool sums = sizes & 1;
            const uint32_t routes = head.routes();
            const uint32_t devices = head.devices();
            act(Phase{first, end, sums, routes & 0xFFFF, routes >> 16, devices & 0xFFFF,
                      devices >> 16, sizes >> 16 & 0xFF, sizes >> 24,
                      sums ? sum_tiles : gather_tiles});
            at = end;
        }
    }
    // Blocks that fill the slots up to their end: the next phase begins at the first slot, wherever
    // its sender is.
    uint32_t num_left_over(uint32_t num_received) const {
        return (num_slots() - num_received % num_slots()) % num_slots();
    }
};

// Turns of a core in a phase, one piece after the other, in rounds of at most `chunk` blocks per
// step. Blocks in flight must fit in the receivers' slots; otherwise a ring of senders would
// deadlock. Blocks that end here alternate with own blocks to send, so that the link is never idle.
class Turns {
public:
    Turns(const Plan& plan, const Phase& phase)
        : phase_(phase),
          round_bytes_(plan.chunk * phase.block_bytes()),
          few_(kBlocksOfATurn * phase.block_bytes()),
          steps_(phase) {}

    // Returns the next piece; one of no bytes after the last one.
    Turn next() {
        for (;;) {
            if (turn_.is_done()) {
                turn_ = find_turn();
            }
            const bool may_wait = !turn_.is_done() && !turn_.step.receives();
            if (!ended_.is_done() && (!may_wait || is_turn_of_ended_)) {
                is_turn_of_ended_ = false;
                return ended_.take(may_wait ? few_ : round_bytes_);
            }
            if (turn_.is_done() || !turn_.step.receives() || turn_.step.sends()) {
                is_turn_of_ended_ = !ended_.is_done();
                return turn_.take(ended_.is_done() ? round_bytes_ : few_);
            }
            ended_ = turn_.take(round_bytes_);
        }
    }

private:
    // Returns the next step that has bytes left in its round; a step without bytes if there is
    // none.
    Turn find_turn() {
        for (;; begin_round()) {
            while (!steps_.is_at_end()) {
                const Step step = steps_.next();
                const Piece piece = step.piece(round_begin_, round_bytes_);
                if (piece.bytes != 0) {
                    has_bytes_ = true;
                    return {step, piece};
                }
            }
            if (!has_bytes_) {
                return {};
            }
        }
    }
    void begin_round() {
        steps_ = Steps(phase_);
        round_begin_ += round_bytes_;
        has_bytes_ = false;
    }

    const Phase& phase_;
    uint32_t round_bytes_;
    uint32_t few_;
    Steps steps_;
    uint32_t round_begin_ = 0;
    bool has_bytes_ = false;  // a step, in this round
    bool is_turn_of_ended_ = false;
    Turn turn_{};
    Turn ended_{};  // received and not sent
};

inline Plan plan_from_args(uint32_t first_arg) {
    return {PlanHead::read(first_arg), first_arg + PlanHead::kCount};
}
