// SPDX-License-Identifier: Apache-2.0
// The largest of many floats, compared as integers: a RISC has no unit for floats.
#pragma once

#include <cstdint>

// Orders floats by their bits: −0 as 0, NaN as −inf.
inline int32_t order_of(uint32_t bits) {
    constexpr uint32_t kInfinity = 0x7F800000;
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > kInfinity) {
        return -static_cast<int32_t>(kInfinity);
    }
    return bits == magnitude ? static_cast<int32_t>(magnitude) : -static_cast<int32_t>(magnitude);
}

// The largest of what is offered in ascending order of its index, in descending order; of equal
// ones the first. Most of what is offered costs one comparison, with the least that is kept.
class Largest {
public:
    static constexpr uint32_t kMost = 32;  // 256 B of the stack

    void begin(uint32_t room) {
        room_ = room;
        count_ = 0;
        least_ = INT32_MIN;
    }
    void offer(int32_t order, uint32_t index) {
        if (order <= least_) {
            return;
        }
        uint32_t place = count_ < room_ ? count_++ : room_ - 1;
        for (; place > 0 && orders_[place - 1] < order; --place) {
            orders_[place] = orders_[place - 1];
            indices_[place] = indices_[place - 1];
        }
        orders_[place] = order;
        indices_[place] = index;
        if (count_ == room_) {
            least_ = orders_[room_ - 1];
        }
    }
    int32_t order(uint32_t place) const { return orders_[place]; }
    uint32_t index(uint32_t place) const { return indices_[place]; }

private:
    uint32_t room_ = 0;
    uint32_t count_ = 0;
    int32_t least_ = INT32_MIN;
    int32_t orders_[kMost];
    uint32_t indices_[kMost];
};

// Writes the indices of the `count` largest candidates. offer_all(offer) calls offer(bits, index)
// for each candidate in ascending order of the index: once, or repeatedly, once per Largest::kMost
// results.
template <typename OfferAll>
void select_largest(uint32_t count, tt_l1_ptr uint32_t* indices, OfferAll offer_all) {
    Largest largest;
    int32_t last = INT32_MAX;
    uint32_t last_index = 0;
    for (uint32_t done = 0; done < count;) {
        const uint32_t left = count - done;
        const uint32_t room = left < Largest::kMost ? left : Largest::kMost;
        largest.begin(room);
        offer_all([&](uint32_t bits, uint32_t index) {
            const int32_t order = order_of(bits);
            if (order < last || (order == last && index > last_index)) {
                largest.offer(order, index);
            }
        });
        for (uint32_t place = 0; place < room; ++place) {
            indices[done + place] = largest.index(place);
        }
        last = largest.order(room - 1);
        last_index = largest.index(room - 1);
        done += room;
    }
}
