// SPDX-License-Identifier: Apache-2.0
// How blocks of one operand get from the core that reads them to others. A receiver says that its
// circular buffer has room; the sender writes the block to all of them at once and a flag behind
// it.
#pragma once

#include <cstdint>

inline volatile tt_l1_ptr uint32_t* semaphore_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

class BlockSender {
public:
    // Arguments from `arg` on: corners of the receivers in the order of this NoC, their number, how
    // many of them reply, semaphores of the replies and of the flag, whether to wait until a block
    // has left. No receivers: sends nothing.
    explicit BlockSender(uint32_t arg)
        : rectangle_(get_noc_multicast_addr(
              get_arg_val<uint32_t>(arg), get_arg_val<uint32_t>(arg + 1),
              get_arg_val<uint32_t>(arg + 2), get_arg_val<uint32_t>(arg + 3), 0)),
          num_receivers_(get_arg_val<uint32_t>(arg + 4)),
          num_replies_(get_arg_val<uint32_t>(arg + 5)),
          replies_(semaphore_at(get_semaphore(get_arg_val<uint32_t>(arg + 6)))),
          flag_addr_(get_semaphore(get_arg_val<uint32_t>(arg + 7))),
          flushes_(get_arg_val<uint32_t>(arg + 8) != 0) {
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
    // Arguments from `arg` on: x and y of the sender, semaphores of the replies and of the flag.
    explicit BlockReceiver(uint32_t arg)
        : reply_(get_noc_addr(get_arg_val<uint32_t>(arg), get_arg_val<uint32_t>(arg + 1),
                              get_semaphore(get_arg_val<uint32_t>(arg + 2)))),
          flag_(semaphore_at(get_semaphore(get_arg_val<uint32_t>(arg + 3)))) {}

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
