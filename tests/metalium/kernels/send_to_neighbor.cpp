// SPDX-License-Identifier: Apache-2.0
// Sends a page to the same page of a neighbour's buffer and counts up its semaphore, then waits for
// the page of the other neighbour. Arguments: source, target, semaphore, arguments of a connection.
#include "dataflow_api.h"
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp"
#include "tt_metal/fabric/hw/inc/linear/api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto source_args = TensorAccessorArgs<1>();
    constexpr auto target_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto target = TensorAccessor(target_args, get_arg_val<uint32_t>(1));
    const uint32_t semaphore = get_arg_val<uint32_t>(2);
    uint32_t next = 3;
    auto connection =
        tt::tt_fabric::WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(next);

    const uint32_t page = get_write_ptr(cb);
    const uint32_t bytes = get_tile_size(cb);
    noc_async_read_page(0, source, page);
    noc_async_read_barrier();
    auto* header = PacketHeaderPool::allocate_header();
    fabric_set_unicast_route<false>(header, 1);
    tt::tt_fabric::linear::to_noc_fused_unicast_write_atomic_inc(
        bytes, header,
        tt::tt_fabric::NocUnicastAtomicIncCommandHeader{get_noc_addr(semaphore), 1, true}, 0,
        target);
    connection.open();
    connection.wait_for_empty_write_slot();
    connection.send_payload_without_header_non_blocking_from_address(page, bytes);
    connection.send_payload_flush_blocking_from_address((uint32_t)header,
                                                        sizeof(PACKET_HEADER_TYPE));
    connection.close();
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);
}
