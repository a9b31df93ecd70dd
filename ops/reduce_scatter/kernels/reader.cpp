// SPDX-License-Identifier: Apache-2.0
// Reads the device's own tiles and the sums that arrived for them.
#include "journey.hpp"

namespace {

volatile tt_l1_ptr uint32_t* semaphore(uint32_t id) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(id));
}

template <typename Accessor>
void issue_batch(uint32_t cb, const Accessor& source, uint32_t begin, uint32_t count,
                 uint32_t batch) {
    cb_reserve_back(cb, batch);
    uint32_t l1_address = get_write_ptr(cb);
    for (uint32_t tile = begin; tile < begin + count; ++tile) {
        noc_async_read_tile(tile, source, l1_address);
        l1_address += get_tile_size(cb);
    }
}

// Pushes the batch of each operand once it has arrived.
void push_batch(const Journey& journey, bool meets_far_side) {
    // One barrier for up to three operands.
    noc_async_read_barrier();
    cb_push_back(kCbOwn, journey.batch);
    if (journey.has_partial()) {
        cb_push_back(kCbForward, journey.batch);
    }
    if (meets_far_side) {
        cb_push_back(kCbBackward, journey.batch);
    }
}

}  // namespace

void kernel_main() {
    const auto addresses = ReaderTensors::Addresses::read();
    const ReaderCore::Each core{ReaderTensors::Addresses::kCount};
    auto* arrived = semaphore(core.arrived_semaphore());
    auto* far_side_arrived = semaphore(core.far_side_arrived_semaphore());
    const Journey journey = journey_from_args(core.first_arg + ReaderCore::kCount);

    const auto input = TensorAccessor(ReaderTensors::input(), addresses.input);
    const auto partial = TensorAccessor(ReaderTensors::partial(), addresses.partial);
    const auto far_side = TensorAccessor(ReaderTensors::far_side(), addresses.far_side);

    const uint32_t num_steps = journey.num_ahead() + (journey.completes() ? 1 : 0);
    for (uint32_t step = 0; step < num_steps; ++step) {
        const bool stays = step == journey.num_ahead();
        const uint32_t begin = journey.begin_of(stays ? journey.position : journey.sent(step));
        for (uint32_t i = 0; i < journey.num_batches(); ++i) {
            const uint32_t tile = begin + i * journey.batch;
            const uint32_t count = journey.tiles_in(i);
            // Own tiles are on their way while the partial sums are awaited.
            issue_batch(kCbOwn, input, tile, count, journey.batch);
            if (journey.has_partial()) {
                // One increment per batch: the device behind announces each batch when it is in
                // memory.
                noc_semaphore_wait_min(arrived, step * journey.num_batches() + i + 1);
                issue_batch(kCbForward, partial, tile, count, journey.batch);
            }
            const bool meets_far_side = stays && journey.has_far_side();
            if (meets_far_side) {
                noc_semaphore_wait_min(far_side_arrived, i + 1);
                issue_batch(kCbBackward, far_side, tile, count, journey.batch);
            }
            push_batch(journey, meets_far_side);
        }
    }
}
