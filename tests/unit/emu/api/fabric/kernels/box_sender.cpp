// SPDX-License-Identifier: Apache-2.0
// Sends one payload to a box of devices and increments a word on each of them.
// Runtime args: source, destination, size, semaphore; hops east, west, north and south; those of a
// connection.

void kernel_main() {
    using namespace tt::tt_fabric;
    const uint32_t source = get_arg_val<uint32_t>(0);
    const uint64_t destination = get_noc_addr(get_arg_val<uint32_t>(1));
    const uint32_t size = get_arg_val<uint32_t>(2);
    const uint64_t counter = get_noc_addr(get_semaphore(get_arg_val<uint32_t>(3)));
    std::size_t arg_index = 8;
    auto sender = WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
    auto* header = static_cast<volatile tt_l1_ptr HybridMeshPacketHeader*>(
        PacketHeaderPool::allocate_header());

    sender.open();
    fabric_set_mcast_route(header, 0, 0, get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5),
                           get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7));
    header->to_noc_fused_unicast_write_atomic_inc(
        NocUnicastAtomicIncFusedCommandHeader{destination, counter, 1}, size);
    sender.wait_for_empty_write_slot();
    sender.send_payload_without_header_non_blocking_from_address(source, size);
    sender.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                    sizeof(PACKET_HEADER_TYPE));
    sender.close();
}
