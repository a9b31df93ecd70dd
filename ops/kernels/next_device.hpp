// SPDX-License-Identifier: Apache-2.0
// The next device of a line, as a kernel sends packets to it.
#pragma once

class NextDevice {
public:
    explicit NextDevice(tt::tt_fabric::WorkerToFabricEdmSender& connection)
        : connection_(connection),
          header_(PacketHeaderPool::allocate_header()),
          counting_header_(PacketHeaderPool::allocate_header()) {
        fabric_set_unicast_route<false>(header_, 1);
        fabric_set_unicast_route<false>(counting_header_, 1);
    }

    void send(uint32_t source, uint64_t destination, uint32_t bytes) {
        header_->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{destination}, bytes);
        send(source, bytes, header_);
    }
    // Adds 1 to the word `arrived` behind the packet.
    void send_and_count(uint32_t source, uint64_t destination, uint32_t bytes, uint64_t arrived) {
        counting_header_->to_noc_fused_unicast_write_atomic_inc(
            tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader{destination, arrived, 1}, bytes);
        send(source, bytes, counting_header_);
    }

    // Tells each of the next `count` devices, by 1 on the word `started`, that this one runs, and
    // waits until `num_sources` others have told this one.
    void start_together(uint32_t count, uint32_t num_sources, uint32_t started_id) {
        const uint32_t started = get_semaphore(started_id);
        volatile tt_l1_ptr PACKET_HEADER_TYPE* header = PacketHeaderPool::allocate_header();
        header->to_noc_unicast_atomic_inc(
            tt::tt_fabric::NocUnicastAtomicIncCommandHeader{get_noc_addr(started), 1});
        for (uint32_t hops = 1; hops <= count; ++hops) {
            fabric_set_unicast_route<false>(header, hops);
            connection_.wait_for_empty_write_slot();
            connection_.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                                 sizeof(PACKET_HEADER_TYPE));
        }
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(started),
                               num_sources);
    }

private:
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
