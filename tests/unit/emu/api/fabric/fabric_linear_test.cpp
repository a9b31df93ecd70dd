// SPDX-License-Identifier: Apache-2.0
// Headers of packets for pages of tensors, and routes as tt-metal's fabric_edm_packet_header.hpp
// defines them.
#include "tessera/kernel/fabric_linear.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

namespace linear = tt::tt_fabric::linear;

/// Pages of 4096 bytes behind each other.
struct Pages {
    [[nodiscard]] std::uint64_t get_noc_addr(std::uint32_t page, std::uint32_t offset) const {
        return std::uint64_t{4096} * page + offset;
    }
};

TEST(FabricLinear, ASparseRouteWritesWhereABitIsSet) {
    LowLatencyPacketHeader header{};
    fabric_set_sparse_multicast_route(&header, 0b01001);
    // From the lowest pair of bits: write and forward, forward, forward, write.
    EXPECT_EQ(header.routing_fields.value, 0b01'10'10'11U);
}

TEST(FabricLinear, AWriteGoesToAPageOfATensor) {
    LowLatencyPacketHeader header{};
    linear::to_noc_unicast_write(512, &header, 3, Pages{}, 64);
    EXPECT_EQ(header.noc_send_type, tt::tt_fabric::NOC_UNICAST_WRITE);
    EXPECT_EQ(header.command_fields.unicast_write.noc_address, 3 * 4096 + 64);
    EXPECT_EQ(header.payload_size_bytes, 512);
}

TEST(FabricLinear, AFusedWriteAddsToItsSemaphore) {
    LowLatencyPacketHeader header{};
    linear::to_noc_fused_unicast_write_atomic_inc(
        256, &header, tt::tt_fabric::NocUnicastAtomicIncCommandHeader{0x7000, 2, true}, 5, Pages{});
    const auto& fields = header.command_fields.unicast_seminc_fused;
    EXPECT_EQ(header.noc_send_type, tt::tt_fabric::NOC_FUSED_UNICAST_ATOMIC_INC);
    EXPECT_EQ(fields.noc_address, 5 * 4096);
    EXPECT_EQ(fields.semaphore_noc_address, 0x7000);
    EXPECT_EQ(fields.val, 2);
    EXPECT_TRUE(fields.flush);
}

TEST(FabricLinear, AScatterWriteHasAChunkForEachPage) {
    LowLatencyPacketHeader header{};
    linear::to_noc_unicast_scatter_write(1024, &header, 1, 7, Pages{}, 0, 32);
    const auto& fields = header.command_fields.unicast_scatter_write;
    EXPECT_EQ(fields.noc_address[0], 4096);
    EXPECT_EQ(fields.noc_address[1], 7 * 4096 + 32);
    EXPECT_EQ(fields.chunk_size[0], 1024);
    EXPECT_EQ(fields.chunk_count, 2);
    EXPECT_EQ(header.payload_size_bytes, 2048);
}

/// Notes what a worker gives to a connection.
struct NotingSender {
    std::vector<std::uint32_t> sent_bytes;
    bool is_slot_free = false;
    void wait_for_empty_write_slot() { is_slot_free = true; }
    void send_payload_flush_blocking_from_address(std::uint32_t /*address*/, std::uint32_t bytes) {
        sent_bytes.push_back(is_slot_free ? bytes : 0);
    }
};

TEST(FabricLinear, AnIncrementIsAPacketOfAHeaderAlone) {
    LowLatencyPacketHeader header{};
    NotingSender sender;
    linear::experimental::fabric_unicast_noc_unicast_atomic_inc(
        &sender, &header, tt::tt_fabric::NocUnicastAtomicIncCommandHeader{0x7010, 3, true}, 2);
    // Forward once, then write.
    EXPECT_EQ(header.routing_fields.value, 0b01'10U);
    EXPECT_EQ(header.noc_send_type, tt::tt_fabric::NOC_UNICAST_ATOMIC_INC);
    EXPECT_EQ(header.command_fields.unicast_seminc.noc_address, 0x7010);
    EXPECT_EQ(header.command_fields.unicast_seminc.val, 3);
    EXPECT_EQ(sender.sent_bytes, (std::vector<std::uint32_t>{sizeof(LowLatencyPacketHeader)}));
}

TEST(FabricLinear, AnAddressIsTakenApart) {
    // 36 bits of local address, then six of x and six of y.
    const auto [core, address] =
        get_noc_address_components(std::uint64_t{9} << 42 | std::uint64_t{18} << 36 | 0x12340);
    EXPECT_EQ(core.x, 18);
    EXPECT_EQ(core.y, 9);
    EXPECT_EQ(address, 0x12340U);
}

}  // namespace
}  // namespace tessera
