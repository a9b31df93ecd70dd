// SPDX-License-Identifier: Apache-2.0
// Distribution of blocks of one operand from the core that reads them. A receiver announces that
// its circular buffer has space. The sender writes the block to all receivers at once, and a flag
// after it.
#pragma once

#include <cstdint>

#include "block_handshake_args.hpp"

inline volatile tt_l1_ptr uint32_t* semaphore_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

class BlockSender {
public:
    // The arguments start at `arg`. Without receivers it sends nothing.
    explicit BlockSender(uint32_t arg) : BlockSender(tessera::ops::BlockSenderArgs::Each{arg}) {}
    explicit BlockSender(tessera::ops::BlockSenderArgs::Each args)
        : rectangle_(get_noc_multicast_addr(args.start_x(), args.start_y(), args.end_x(),
                                            args.end_y(), 0)),
          num_receivers_(args.num_receivers()),
          num_replies_(args.num_replies()),
          replies_(semaphore_at(get_semaphore(args.replies_semaphore()))),
          flag_addr_(get_semaphore(args.flag_semaphore())),
          flushes_(args.flushes() != 0) {
        if (num_receivers_ > 0) {
            noc_semaphore_set(semaphore_at(flag_addr_), VALID);
        }
    }

    void send(uint32_t l1_addr, uint32_t size) const {
        if (num_receivers_ == 0) {
            return;
        }
        noc_semaphore_wait(replies_, num_replies_);
        noc_semaphore_set(replies_, 0);
        noc_async_write_multicast(l1_addr, rectangle_ | l1_addr, size, num_receivers_, true);
        if (flushes_) {
            noc_async_writes_flushed();
        }
        noc_semaphore_set_multicast(flag_addr_, rectangle_ | flag_addr_, num_receivers_);
    }

private:
    uint64_t rectangle_;
    uint32_t num_receivers_;
    uint32_t num_replies_;
    volatile tt_l1_ptr uint32_t* replies_;
    uint32_t flag_addr_;
    bool flushes_;
};

class BlockReceiver {
public:
    // The arguments start at `arg`.
    explicit BlockReceiver(uint32_t arg = 0)
        : BlockReceiver(tessera::ops::BlockReceiverArgs::Each{arg}) {}
    explicit BlockReceiver(tessera::ops::BlockReceiverArgs::Each args)
        : reply_(get_noc_addr(args.sender_x(), args.sender_y(),
                              get_semaphore(args.replies_semaphore()))),
          flag_(semaphore_at(get_semaphore(args.flag_semaphore()))) {}

    // Into the reserved pages at the write pointer.
    void receive() const {
        noc_semaphore_set(flag_, INVALID);
        noc_semaphore_inc(reply_, 1);
        noc_semaphore_wait(flag_, VALID);
    }

private:
    uint64_t reply_;
    volatile tt_l1_ptr uint32_t* flag_;
};
