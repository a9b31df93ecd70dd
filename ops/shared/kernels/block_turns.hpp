// SPDX-License-Identifier: Apache-2.0
// Blocks that the cores of a line send to all of them, each in turn. A receiver announces to the
// core whose turn it is that its circular buffer has space. That core writes the block to all, and
// a flag after it.
#pragma once

#include <cstdint>

#include "block_handshake.hpp"
#include "block_turns_args.hpp"

class BlockTurns {
public:
    // The arguments start at `arg`.
    explicit BlockTurns(uint32_t arg) : BlockTurns(tessera::ops::BlockTurnsArgs::Each{arg}) {}
    explicit BlockTurns(tessera::ops::BlockTurnsArgs::Each args)
        : rectangle_(get_noc_multicast_addr(args.start_x(), args.start_y(), args.end_x(),
                                            args.end_y(), 0)),
          first_x_(args.first_x()),
          first_y_(args.first_y()),
          step_x_(args.step_x()),
          step_y_(args.step_y()),
          num_cores_(args.num_cores()),
          position_(args.position()),
          replies_addr_(get_semaphore(args.replies_semaphore())),
          flag_addr_(get_semaphore(args.flag_semaphore())),
          valid_addr_(get_semaphore(args.valid_semaphore())) {
        noc_semaphore_set(semaphore_at(valid_addr_), VALID);
    }

    uint32_t num_cores() const { return num_cores_; }

    // Returns whether this core sends block `number`.
    bool is_own(uint32_t number) const { return number % num_cores_ == position_; }

    // Sends the next block, which is `number`, from `source` to reserved pages at `target` of all
    // cores.
    void send(uint32_t source, uint32_t target, uint32_t size) const {
        noc_semaphore_set(semaphore_at(flag_addr_), INVALID);
        // All cores have reserved the pages, at the same address.
        noc_semaphore_wait(semaphore_at(replies_addr_), num_cores_ - 1);
        // Reset before the block is sent: a receiver may reply for this core's next turn as soon as
        // it has the flag.
        noc_semaphore_set(semaphore_at(replies_addr_), 0);
        noc_async_write_multicast_loopback_src(source, rectangle_ | target, size, num_cores_, true);
        // The flag follows on the same virtual channel, so that it cannot overtake the block. It is
        // sent from a word that never changes.
        noc_semaphore_set_multicast_loopback_src(valid_addr_, rectangle_ | flag_addr_, num_cores_);
        noc_async_writes_flushed();
        noc_semaphore_wait(semaphore_at(flag_addr_), VALID);
    }
    // Receives block `number` into the reserved pages.
    void receive(uint32_t number) const {
        const uint32_t sender = number % num_cores_;
        // Reset before the reply: the sender may answer at once.
        noc_semaphore_set(semaphore_at(flag_addr_), INVALID);
        noc_semaphore_inc(
            get_noc_addr(first_x_ + sender * step_x_, first_y_ + sender * step_y_, replies_addr_),
            1);
        noc_semaphore_wait(semaphore_at(flag_addr_), VALID);
    }

private:
    uint64_t rectangle_;
    uint32_t first_x_, first_y_;
    uint32_t step_x_, step_y_;
    uint32_t num_cores_;
    uint32_t position_;
    uint32_t replies_addr_;
    uint32_t flag_addr_;
    uint32_t valid_addr_;
};
