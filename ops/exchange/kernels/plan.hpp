// SPDX-License-Identifier: Apache-2.0
// What one core of a collective does, as the host planned it (ops/exchange/plan.hpp). The three
// kernels of a core walk the plan alike: phases, in each of them rounds, in each of them steps.
#pragma once

#include <cstdint>

inline constexpr uint32_t kCbLocal = 0;     // own tiles to be summed, bfloat16
inline constexpr uint32_t kCbReceived = 1;  // partial sums of the device before, from the link
inline constexpr uint32_t kCbPartial = 2;   // partial sums for the device behind
inline constexpr uint32_t kCbReduced = 3;   // sums that stay here, bfloat16
inline constexpr uint32_t kCbGathered = 4;  // bytes that pass as they are, from the link
inline constexpr uint32_t kCbOwn = 5;       // own bytes that pass as they are
inline constexpr uint32_t kCbEarlier = 6;   // own sums of a phase before, where they are float32
inline constexpr uint32_t kCbLater = 7;     // sums for a phase behind, where they are float32
inline constexpr uint32_t kCbZeros = 8;     // one tile

inline constexpr uint32_t kUnitBytes = 2048;   // a tile of bfloat16
inline constexpr uint32_t kBlocksOfATurn = 4;  // as many as the reader reads at once
inline constexpr uint32_t kNoRoute = 0xFFFF;
// Tensors of a step.
inline constexpr uint32_t kInput = 0;
inline constexpr uint32_t kOutput = 1;
inline constexpr uint32_t kWorkspace = 2;

// A part of a slice that takes its turn in one round. Bytes count from the start of a tensor whose
// pages lie one behind the other, padding included.
struct Piece {
    uint32_t read_begin;
    uint32_t store_begin;
    uint32_t bytes;

    uint32_t num_blocks(uint32_t block_bytes) const {
        return (bytes + block_bytes - 1) / block_bytes;
    }
};

struct Step {
    uint32_t flags;
    uint32_t read_begin;
    uint32_t store_begin;
    uint32_t bytes;

    bool reads() const { return flags & 1; }
    bool receives() const { return flags & 2; }
    bool stores() const { return flags & 4; }
    bool sends() const { return flags & 8; }
    uint32_t source() const { return flags >> 4 & 3; }       // tensor that is read
    uint32_t destination() const { return flags >> 6 & 3; }  // tensor that is written
    // Circular buffers of own tiles that are summed, and of sums. The workspace holds sums as they
    // travel; all else is bfloat16.
    uint32_t own_cb(bool travels_as_fp32) const {
        return travels_as_fp32 && source() == kWorkspace ? kCbEarlier : kCbLocal;
    }
    uint32_t sum_cb(bool travels_as_fp32) const {
        return sends()                                          ? kCbPartial
               : travels_as_fp32 && destination() == kWorkspace ? kCbLater
                                                                : kCbReduced;
    }

    Piece piece(uint32_t round, uint32_t round_bytes) const {
        const uint32_t begin = round * round_bytes;
        const uint32_t left = bytes > begin ? bytes - begin : 0;
        return {read_begin + begin, store_begin + begin, left < round_bytes ? left : round_bytes};
    }
};

// What is left of a step's piece.
struct Turn {
    Step step;
    Piece piece;

    template <typename Act>
    void take(uint32_t most, Act act) {
        const uint32_t bytes = most < piece.bytes ? most : piece.bytes;
        if (bytes != 0) {
            act(step, Piece{piece.read_begin, piece.store_begin, bytes});
        }
        piece.read_begin += bytes;
        piece.store_begin += bytes;
        piece.bytes -= bytes;
    }
};

// Steps with the same neighbours.
struct Phase {
    uint32_t first_arg;  // of its steps
    uint32_t num_steps;
    bool sums;             // own and received tiles are added
    uint32_t to_next;      // connection | hops << 8; kNoRoute: there is none
    uint32_t to_previous;  // for credits
    uint32_t next;         // devices: where a route has no hops, the mesh finds it
    uint32_t previous;
    uint32_t credit;           // own word that the next device counts up
    uint32_t previous_credit;  // word of the previous device
    uint32_t block_tiles;      // of a packet

    uint32_t block_bytes() const { return block_tiles * kUnitBytes; }
    Step step(uint32_t index) const {
        const uint32_t at = first_arg + 4 * index;
        return {get_arg_val<uint32_t>(at), get_arg_val<uint32_t>(at + 1),
                get_arg_val<uint32_t>(at + 2), get_arg_val<uint32_t>(at + 3)};
    }
    // Rounds of at most `chunk` blocks a step: what is on its way has to fit into the slots of the
    // receivers, or a ring of senders would wait for each other.
    uint32_t num_rounds(uint32_t chunk) const {
        uint32_t most = 0;
        for (uint32_t i = 0; i < num_steps; ++i) {
            const uint32_t bytes = step(i).bytes;
            most = bytes > most ? bytes : most;
        }
        const uint32_t round_bytes = chunk * block_bytes();
        return (most + round_bytes - 1) / round_bytes;
    }
};

// The phases of one core.
struct Plan {
    uint32_t first_arg;
    uint32_t num_phases;
    uint32_t chunk;         // blocks of a step in a round
    uint32_t sum_tiles;     // tiles of a packet of partial sums
    uint32_t gather_tiles;  // tiles of a packet of bytes

    // A chunk that arrives while one is passed on and another waits for its turn, and blocks that
    // are being handled: with fewer, a ring of senders could wait for each other.
    uint32_t num_slots() const { return 3 * chunk + 2; }

    // Calls act(phase) for each phase in order.
    template <typename Act>
    void for_each_phase(Act act) const {
        uint32_t at = first_arg;
        for (uint32_t i = 0; i < num_phases; ++i) {
            const uint32_t head = get_arg_val<uint32_t>(at);
            const uint32_t num_steps = head >> 1 & 0x7FFF;
            const bool sums = head & 1;
            const uint32_t routes = get_arg_val<uint32_t>(at + 1);
            const uint32_t devices = get_arg_val<uint32_t>(at + 2);
            act(Phase{at + 3, num_steps, sums, routes & 0xFFFF, routes >> 16, devices & 0xFFFF,
                      devices >> 16, head >> 16 & 0xFF, head >> 24,
                      sums ? sum_tiles : gather_tiles});
            at += 3 + 4 * num_steps;
        }
    }
    // Calls act(step, piece) for each step of each round in which it has bytes left. What ends here
    // takes turns with the own blocks that are sent next, so that the link does not fall idle.
    template <typename Act>
    void for_each_piece(const Phase& phase, Act act) const {
        const uint32_t round_bytes = chunk * phase.block_bytes();
        const uint32_t num_rounds = phase.num_rounds(chunk);
        Turn last{};
        for (uint32_t round = 0; round < num_rounds; ++round) {
            for (uint32_t i = 0; i < phase.num_steps; ++i) {
                const Step step = phase.step(i);
                Turn turn{step, step.piece(round, round_bytes)};
                if (turn.piece.bytes == 0) {
                    continue;
                }
                const uint32_t few = kBlocksOfATurn * phase.block_bytes();
                while (!step.receives() && last.piece.bytes != 0 && turn.piece.bytes != 0) {
                    turn.take(few, act);
                    last.take(few, act);
                }
                last.take(step.receives() ? last.piece.bytes : 0, act);
                if (step.receives() && !step.sends()) {
                    last = turn;
                } else {
                    turn.take(turn.piece.bytes, act);
                }
            }
        }
        last.take(last.piece.bytes, act);
    }
    // Blocks that fill the slots up to their end: the next phase begins at the first slot, wherever
    // its sender is.
    uint32_t num_left_over(uint32_t num_received) const {
        return (num_slots() - num_received % num_slots()) % num_slots();
    }
};

inline Plan plan_from_args(uint32_t first_arg) {
    return {first_arg + 4, get_arg_val<uint32_t>(first_arg), get_arg_val<uint32_t>(first_arg + 1),
            get_arg_val<uint32_t>(first_arg + 2), get_arg_val<uint32_t>(first_arg + 3)};
}
