// SPDX-License-Identifier: Apache-2.0
// The next device of a line, or all following ones at once, as the target of a kernel's packets.
#pragma once

#include "packet_pieces.hpp"

class NextDevice {
public:
    // Each packet is written on the next `reach` devices.
    explicit NextDevice(tt::tt_fabric::WorkerToFabricEdmSender& connection, uint32_t reach = 1)
        : connection_(connection),
          header_(PacketHeaderPool::allocate_header()),
          counting_header_(PacketHeaderPool::allocate_header()) {
        const tt::tt_fabric::MulticastRoutingCommandHeader range{1, static_cast<uint8_t>(reach)};
        header_->to_chip_multicast(range);
        counting_header_->to_chip_multicast(range);
    }

    void send(uint32_t source, uint64_t destination, uint32_t bytes) {
        header_->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{destination}, bytes);
        send(source, bytes, header_);
    }
    // Sends 2 to 4 pages that follow each other in own L1, each to its own place.
    void send_pages(uint32_t source, const uint64_t* destinations, uint32_t count,
                    uint32_t page_bytes) {
        const auto size = static_cast<uint16_t>(page_bytes);
        const uint16_t sizes[]{size, size, size};
        header_->to_noc_unicast_scatter_write(
            tt::tt_fabric::NocUnicastScatterCommandHeader(destinations, sizes, count),
            count * page_bytes);
        send(source, count * page_bytes, header_);
    }
    // Adds 1 to the word `arrived` after all sent data. The packet waits at the target until the
    // data is written: pages go to memory, and packets to other targets may overtake them.
    void count_up(uint64_t arrived) {
        counting_header_->to_noc_unicast_atomic_inc(
            tt::tt_fabric::NocUnicastAtomicIncCommandHeader{arrived, 1});
        send_header(counting_header_);
    }

    // Adds 1 to a word of each of the next `count` devices, which says that this one runs.
    void tell(uint32_t count, uint64_t started) {
        volatile tt_l1_ptr PACKET_HEADER_TYPE* header = PacketHeaderPool::allocate_header();
        header->to_chip_multicast({1, static_cast<uint8_t>(count)});
        header->to_noc_unicast_atomic_inc(
            tt::tt_fabric::NocUnicastAtomicIncCommandHeader{started, 1});
        send_header(header);
    }
    // Tells each of the next `count` devices that this one runs, by 1 on the word `started`. Then
    // waits until `num_sources` others have told this one.
    void start_together(uint32_t count, uint32_t num_sources, uint32_t started_id) {
        const uint32_t started = get_semaphore(started_id);
        if (count != 0) {
            tell(count, get_noc_addr(started));
        }
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(started),
                               num_sources);
    }

private:
    void send_header(volatile tt_l1_ptr PACKET_HEADER_TYPE* header) {
        connection_.wait_for_empty_write_slot();
        connection_.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                             sizeof(PACKET_HEADER_TYPE));
    }
    void send(uint32_t source, uint32_t bytes, volatile tt_l1_ptr PACKET_HEADER_TYPE* header) {
        connection_.wait_for_empty_write_slot();
        connection_.send_payload_without_header_non_blocking_from_address(source, bytes);
        connection_.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                             sizeof(PACKET_HEADER_TYPE));
    }

    tt::tt_fabric::WorkerToFabricEdmSender& connection_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* counting_header_;
};

// Gathers pages that follow each other in own L1 into packets of at most `most` (1 to 4).
class PagePackets {
public:
    PagePackets(NextDevice& next, uint32_t page_bytes, uint32_t most)
        : next_(next), page_bytes_(page_bytes), most_(most) {}

    void add(uint32_t source, uint64_t destination) {
        if (count_ == 0) {
            source_ = source;
        }
        destinations_[count_] = destination;
        if (++count_ == most_) {
            send();
        }
    }
    // Sends the pages that were added and not sent.
    void send() {
        if (count_ == 1) {
            next_.send(source_, destinations_[0], page_bytes_);
        } else if (count_ > 1) {
            next_.send_pages(source_, destinations_, count_, page_bytes_);
        }
        count_ = 0;
    }

private:
    NextDevice& next_;
    uint32_t page_bytes_;
    uint32_t most_;
    uint32_t count_ = 0;
    uint32_t source_ = 0;
    uint64_t destinations_[tt::tt_fabric::NOC_SCATTER_WRITE_MAX_CHUNKS];
};

// The same interface for pages that exceed a packet: each travels in several.
class PagePieces {
public:
    PagePieces(NextDevice& next, uint32_t page_bytes, uint32_t piece_bytes)
        : next_(next), page_{page_bytes, piece_bytes} {}

    void add(uint32_t source, uint64_t destination) {
        page_.for_each([&](uint32_t offset, uint32_t bytes) {
            next_.send(source + offset, destination + offset, bytes);
        });
    }
    void send() {}

private:
    NextDevice& next_;
    PacketPieces page_;
};
