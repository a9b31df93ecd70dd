// SPDX-License-Identifier: Apache-2.0
// Sends sums to the next device, and stores those of the slice that stays.
#include "../../shared/kernels/next_device.hpp"
#include "journey.hpp"

namespace {

using tt::tt_fabric::WorkerToFabricEdmSender;

template <typename Act>
void for_each_batch(const Journey& journey, Act act) {
    for (uint32_t i = 0; i < journey.num_batches(); ++i) {
        cb_wait_front(kCbSum, journey.batch);
        act(i * journey.batch, journey.tiles_in(i), get_read_ptr(kCbSum));
        noc_async_writes_flushed();
        cb_pop_front(kCbSum, journey.batch);
    }
}

template <typename Accessor>
void send_slices(const Journey& journey, const Accessor& partial, NextDevice& next,
                 uint32_t packet_tiles, uint64_t arrived, uint64_t last_arrived) {
    const uint32_t bytes = get_tile_size(kCbSum);
    PagePackets packets(next, bytes, packet_tiles);
    for (uint32_t step = 0; step < journey.num_ahead(); ++step) {
        const uint32_t begin = journey.begin_of(journey.sent(step));
        const bool is_last = step + 1 == journey.num_ahead();
        for_each_batch(journey, [&](uint32_t offset, uint32_t count, uint32_t source) {
            for (uint32_t i = 0; i < count; ++i) {
                packets.add(source + i * bytes, partial.get_noc_addr(begin + offset + i));
            }
            packets.send();
            next.count_up(is_last ? last_arrived : arrived);
        });
    }
}

}  // namespace

void kernel_main() {
    const uint32_t output_address = get_arg_val<uint32_t>(0);
    const uint32_t partial_address = get_arg_val<uint32_t>(1);
    const uint32_t arrived_id = get_arg_val<uint32_t>(2);
    const uint32_t last_arrived_id = get_arg_val<uint32_t>(3);
    const uint32_t last_x = get_arg_val<uint32_t>(4);
    const uint32_t last_y = get_arg_val<uint32_t>(5);
    const uint32_t started_id = get_arg_val<uint32_t>(6);
    const uint32_t packet_tiles = get_arg_val<uint32_t>(7);
    const bool starts_with_all = get_arg_val<uint32_t>(8) != 0;
    const uint32_t opposite_x = get_arg_val<uint32_t>(9);
    const uint32_t opposite_y = get_arg_val<uint32_t>(10);
    const Journey journey = journey_from_args(11);
    std::size_t arg_index = 19;

    constexpr auto partial_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<2>();
    const auto partial = TensorAccessor(partial_args, partial_address);
    const auto output = TensorAccessor(output_args, output_address);

    if (journey.num_ahead() != 0) {
        auto connection =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        connection.open();
        NextDevice next(connection);
        if (starts_with_all) {
            // Those ahead are told on the lane's other core, too: theirs hear from both sides.
            next.tell(journey.num_ahead(),
                      get_noc_addr(opposite_x, opposite_y, get_semaphore(started_id)));
        }
        next.start_together(journey.num_ahead(),
                            starts_with_all ? journey.num_devices - 1 : journey.num_behind(),
                            started_id);
        send_slices(journey, partial, next, packet_tiles, get_noc_addr(get_semaphore(arrived_id)),
                    get_noc_addr(last_x, last_y, get_semaphore(last_arrived_id)));
        connection.close();
    }
    if (journey.completes()) {
        for_each_batch(journey, [&](uint32_t offset, uint32_t count, uint32_t source) {
            for (uint32_t i = 0; i < count; ++i) {
                noc_async_write_tile(journey.first + offset + i, output,
                                     source + i * get_tile_size(kCbSum));
            }
        });
    }
    noc_async_write_barrier();
}
