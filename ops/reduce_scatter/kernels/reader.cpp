// SPDX-License-Identifier: Apache-2.0
// Brings in the device's own tiles and the sums that arrived for them.
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

}  // namespace

void kernel_main() {
    const uint32_t input_address = get_arg_val<uint32_t>(0);
    const uint32_t partial_address = get_arg_val<uint32_t>(1);
    const uint32_t far_side_address = get_arg_val<uint32_t>(2);
    auto* arrived = semaphore(get_arg_val<uint32_t>(3));
    auto* far_side_arrived = semaphore(get_arg_val<uint32_t>(4));
    const Journey journey = journey_from_args(5);

    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto input = TensorAccessor(accessor_args, input_address);
    const auto partial = TensorAccessor(accessor_args, partial_address);
    const auto far_side = TensorAccessor(accessor_args, far_side_address);

    const uint32_t num_steps = journey.num_ahead() + (journey.completes() ? 1 : 0);
    for (uint32_t step = 0; step < num_steps; ++step) {
        const bool stays = step == journey.num_ahead();
        const uint32_t begin = journey.begin_of(stays ? journey.position : journey.sent(step));
        for (uint32_t i = 0; i < journey.num_batches(); ++i) {
            const uint32_t tile = begin + i * journey.batch;
            const uint32_t count = journey.tiles_in(i);
            issue_batch(kCbOwn, input, tile, count, journey.batch);
            if (journey.has_partial()) {
                noc_semaphore_wait_min(arrived, step * journey.num_batches() + i + 1);
                issue_batch(kCbForward, partial, tile, count, journey.batch);
            }
            const bool meets_far_side = stays && journey.has_far_side();
            if (meets_far_side) {
                noc_semaphore_wait_min(far_side_arrived, i + 1);
                issue_batch(kCbBackward, far_side, tile, count, journey.batch);
            }
            noc_async_read_barrier();
            cb_push_back(kCbOwn, journey.batch);
            if (journey.has_partial()) {
                cb_push_back(kCbForward, journey.batch);
            }
            if (meets_far_side) {
                cb_push_back(kCbBackward, journey.batch);
            }
        }
    }
}
