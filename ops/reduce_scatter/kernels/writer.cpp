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
        // The pages may be packed again, so their data must have left L1.
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
            // Tiles are collected into packets: a packet costs a router as much time as three
            // tiles.
            for (uint32_t i = 0; i < count; ++i) {
                packets.add(source + i * bytes, partial.get_noc_addr(begin + offset + i));
            }
            packets.send();
            // Another core may complete the last slice; its increment goes there.
            next.count_up(is_last ? last_arrived : arrived);
        });
    }
}

// Stores the sums of the slice that stays on this device.
template <typename Accessor>
void store_slice(const Journey& journey, const Accessor& output) {
    for_each_batch(journey, [&](uint32_t offset, uint32_t count, uint32_t source) {
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_write_tile(journey.first + offset + i, output,
                                 source + i * get_tile_size(kCbSum));
        }
    });
}

}  // namespace

void kernel_main() {
    const auto addresses = WriterTensors::Addresses::read();
    constexpr uint32_t kFirst = WriterTensors::Addresses::kCount;
    const auto core = WriterCore::read(kFirst);
    constexpr uint32_t kFirstOfJourney = kFirst + WriterCore::kCount;
    const Journey journey = journey_from_args(kFirstOfJourney);
    std::size_t arg_index = kFirstOfJourney + JourneyArgs::kCount;  // of the connection

    const auto partial = TensorAccessor(WriterTensors::partial(), addresses.partial);
    const auto output = TensorAccessor(WriterTensors::output(), addresses.output);

    if (journey.num_ahead() != 0) {
        auto connection =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        connection.open();
        NextDevice next(connection);
        const bool starts_with_all = core.starts_with_all != 0;
        if (starts_with_all) {
            // Those ahead are told on the lane's other core, too: theirs hear from both sides.
            next.tell(journey.num_ahead(), get_noc_addr(core.opposite_x, core.opposite_y,
                                                        get_semaphore(core.started_semaphore)));
        }
        next.start_together(journey.num_ahead(),
                            starts_with_all ? journey.num_devices - 1 : journey.num_behind(),
                            core.started_semaphore);
        send_slices(
            journey, partial, next, core.packet_tiles,
            get_noc_addr(get_semaphore(core.arrived_semaphore)),
            get_noc_addr(core.last_x, core.last_y, get_semaphore(core.last_arrived_semaphore)));
        connection.close();
    }
    if (journey.completes()) {
        store_slice(journey, output);
    }
    noc_async_write_barrier();
}
