// SPDX-License-Identifier: Apache-2.0
// Sends a payload and increments a word on the device `hops` links away, as `scenario` selects.
enum Scenario : uint32_t {
    kWriteThenIncrement,
    kFused,
    kFusedFlushedSource,
    kInlineWrite,
    kPayloadBehindHeader,
    kTwoDevicesOneLink,
    kScatter,
    kScatterOfFour,
    kMulticastFused,
    kMulticastScatter,
    kMulticastInline,
    kHandshakesInHalves,
    kKeptHeader,
    // Mistakes.
    kNotOpen,
    kOpenTwice,
    kNotClosed,
    kNoSlot,
    kSlotUsedTwice,
    kTwoPayloads,
    kCloseBeforeHeader,
    kNoRoute,
    kZeroHops,
    kWrongSize,
    kUnalignedSource,
    kUnalignedDestination,
    kUnalignedSemaphore,
    kSemaphoreInDram,
    kOutsideL1,
    kTooManyHeaders,
    kUnalignedHeader,
    kOneChunk,
    kChunksBeyondPayload,
    kChunkMisplaced,
    kEmptyRange,
    kRangeTooFar,
    kSparseRoute,
    kFinishWithoutStart,
    kSlotBeforeFinish,
};

void kernel_main() {
    using namespace tt::tt_fabric;
    const uint32_t scenario = get_arg_val<uint32_t>(0);
    const uint16_t hops = get_arg_val<uint32_t>(1);
    const uint32_t source = get_arg_val<uint32_t>(2);
    const uint32_t destination = get_arg_val<uint32_t>(3);
    const uint32_t size = get_arg_val<uint32_t>(4);
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(5));
    const uint8_t range = get_arg_val<uint32_t>(6);
    std::size_t arg_index = 7;
    auto sender = WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);

    if (scenario == kTooManyHeaders) {
        PacketHeaderPool::allocate_header(10);
        PacketHeaderPool::allocate_header(3);
    }
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header = PacketHeaderPool::allocate_header();
    const uint32_t header_address =
        reinterpret_cast<uint32_t>(header) + (scenario == kUnalignedHeader ? 8 : 0);
    const auto send_header = [&](uint32_t payload_behind = 0) {
        sender.send_payload_flush_blocking_from_address(
            header_address, sizeof(PACKET_HEADER_TYPE) + payload_behind);
    };
    const auto send_payload = [&] {
        sender.send_payload_without_header_non_blocking_from_address(source, size);
    };

    if (scenario == kFinishWithoutStart) {
        sender.open_finish();
    } else if (scenario == kSlotBeforeFinish) {
        sender.open_start();
    } else if (scenario == kHandshakesInHalves) {
        sender.open_start();
        sender.open_finish();
    } else if (scenario != kNotOpen) {
        sender.open();
    }
    if (scenario == kOpenTwice) {
        sender.open();
    }
    if (scenario != kNoRoute) {
        fabric_set_unicast_route<false>(header, scenario == kZeroHops ? 0 : hops);
    }

    uint64_t payload_target = get_noc_addr(destination);
    uint64_t semaphore_target = get_noc_addr(semaphore);
    switch (scenario) {
        case kUnalignedDestination:
            payload_target += 4;
            break;
        case kUnalignedSemaphore:
            semaphore_target += 2;
            break;
        case kSemaphoreInDram:
            semaphore_target = get_noc_addr_from_bank_id<true>(0, 1024);
            break;
        case kOutsideL1:
            payload_target = get_noc_addr(0x1000000);
            break;
    }
    header->to_noc_fused_unicast_write_atomic_inc(
        NocUnicastAtomicIncFusedCommandHeader{payload_target, semaphore_target, 1},
        scenario == kWrongSize ? size + 16 : size);
    if (scenario != kNoSlot && scenario != kKeptHeader) {
        sender.wait_for_empty_write_slot();
    }
    // Writes the second half of the payload to the first half's destination, and vice versa.
    const uint16_t half = size / 2;
    const auto count_up = [&] {
        header->to_noc_unicast_atomic_inc(NocUnicastAtomicIncCommandHeader{semaphore_target, 1});
        sender.wait_for_empty_write_slot();
        send_header();
    };
    const auto send_halves = [&] {
        header->to_noc_unicast_scatter_write(
            NocUnicastScatterCommandHeader({payload_target + half, payload_target}, {half}), size);
        send_payload();
        send_header();
        count_up();
    };

    switch (scenario) {
        case kWriteThenIncrement:
            header->to_noc_unicast_write(NocUnicastCommandHeader{payload_target}, size);
            send_payload();
            send_header();
            header->to_noc_unicast_atomic_inc(
                NocUnicastAtomicIncCommandHeader{semaphore_target, 1});
            sender.wait_for_empty_write_slot();
            send_header();
            break;
        case kInlineWrite:
            header->to_noc_unicast_inline_write(
                NocUnicastInlineWriteCommandHeader{semaphore_target, 1});
            send_header();
            break;
        case kPayloadBehindHeader:
            header->to_noc_fused_unicast_write_atomic_inc(
                NocUnicastAtomicIncFusedCommandHeader{payload_target, semaphore_target, 1}, 16);
            *reinterpret_cast<volatile uint64_t*>(header_address + 64) = 0x1122334455667788;
            *reinterpret_cast<volatile uint64_t*>(header_address + 72) = 0x99aabbccddeeff00;
            send_header(16);
            break;
        case kFusedFlushedSource:
            send_payload();
            send_header();
            *reinterpret_cast<volatile uint32_t*>(source) = 0;
            break;
        case kScatter:
            send_halves();
            break;
        case kScatterOfFour:
            header->to_noc_unicast_scatter_write(
                NocUnicastScatterCommandHeader(
                    {payload_target + 48, payload_target + 32, payload_target + 16, payload_target},
                    {16, 16, 16}),
                size);
            send_payload();
            send_header();
            count_up();
            break;
        case kKeptHeader: {
            // The second half first, and no addition; then the first half with one.
            sender.setup_stateful_send_cmd_bufs<true>();
            const uint32_t slots = sender.get_num_free_write_slots();
            header->set_payload_size_bytes(half);
            header->set_fused_unicast_write_atomic_inc_write_noc_address(payload_target + half);
            header->set_fused_unicast_write_atomic_inc_value(slots - 1);
            sender.send_current_slot_stateful_non_blocking<true>(source + half, half,
                                                                 header_address);
            noc_async_writes_flushed();
            header->set_fused_unicast_write_atomic_inc_write_noc_address(payload_target);
            header->set_fused_unicast_write_atomic_inc_value(1);
            sender.send_current_slot_stateful_non_blocking(source, half, header_address);
            noc_async_writes_flushed();
            break;
        }
        case kMulticastFused:
            header->to_chip_multicast(
                MulticastRoutingCommandHeader{static_cast<uint8_t>(hops), range});
            send_payload();
            send_header();
            break;
        case kMulticastScatter:
            header->to_chip_multicast(
                MulticastRoutingCommandHeader{static_cast<uint8_t>(hops), range});
            send_halves();
            break;
        case kMulticastInline:
            header->to_chip_multicast(
                MulticastRoutingCommandHeader{static_cast<uint8_t>(hops), range});
            header->to_noc_unicast_inline_write(
                NocUnicastInlineWriteCommandHeader{semaphore_target, 1});
            send_header();
            break;
        case kOneChunk:
            header->to_noc_unicast_scatter_write(
                NocUnicastScatterCommandHeader({payload_target}, {}), size);
            break;
        case kChunksBeyondPayload:
            header->to_noc_unicast_scatter_write(
                NocUnicastScatterCommandHeader({payload_target, payload_target}, {half}), half);
            sender.send_payload_without_header_non_blocking_from_address(source, half);
            send_header();
            break;
        case kChunkMisplaced:
            header->to_noc_unicast_scatter_write(
                NocUnicastScatterCommandHeader({payload_target, payload_target + half + 8}, {half}),
                size);
            send_payload();
            send_header();
            break;
        case kEmptyRange:
            header->to_chip_multicast(MulticastRoutingCommandHeader{1, 0});
            break;
        case kRangeTooFar:
            header->to_chip_multicast(MulticastRoutingCommandHeader{2, 32});
            break;
        case kSparseRoute:
            header->routing_fields.value = 0b01'10'11;
            send_payload();
            send_header();
            break;
        case kTwoDevicesOneLink:
            send_payload();
            send_header();
            header->to_chip_unicast(hops + 1);
            sender.wait_for_empty_write_slot();
            send_payload();
            send_header();
            break;
        case kUnalignedSource:
            sender.send_payload_without_header_non_blocking_from_address(source + 4, size);
            send_header();
            break;
        case kTwoPayloads:
            send_payload();
            send_payload();
            break;
        case kCloseBeforeHeader:
            send_payload();
            break;
        case kSlotUsedTwice:
            send_payload();
            send_header();
            send_payload();
            break;
        default:
            send_payload();
            send_header();
    }
    if (scenario == kHandshakesInHalves) {
        sender.close_start();
        sender.close_finish();
    } else if (scenario != kNotClosed) {
        sender.close();
    }
}
