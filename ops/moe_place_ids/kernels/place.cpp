// SPDX-License-Identifier: Apache-2.0
// Looks up the place of each id in a table that the core reads once. One core also writes the map
// from places to slots, which depends only on the device.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_place_ids;

constexpr uint32_t cb_places = index_of(Cb::Places);
constexpr uint32_t cb_ids = index_of(Cb::Ids);
constexpr uint32_t cb_map = index_of(Cb::Map);

// Translates rows of ids in place in L1, so a block needs one buffer.
void place_rows(const PlaceArgs& args, uint32_t rows) {
    const tt_l1_ptr uint32_t* places = words_at(get_write_ptr(cb_places));
    tt_l1_ptr uint32_t* row = words_at(get_write_ptr(cb_ids));
    for (uint32_t token = 0; token < rows; ++token) {
        for (uint32_t k = 0; k < args.top_k; ++k) {
            const uint32_t id = row[k];
            row[k] = id < args.num_experts ? places[id] : kNobody;
        }
        row += args.ids_page / 4;
    }
}

void fill_map(const PlaceArgs& args, uint32_t first_place) {
    tt_l1_ptr uint32_t* map = words_at(get_write_ptr(cb_map));
    fill_words(map, args.num_places, kNobody);
    for (uint32_t slot = 0; slot < args.num_slots; ++slot) {
        map[first_place + slot] = slot;
    }
}

}  // namespace

void kernel_main() {
    const auto args = PlaceArgs::read();
    const auto share = PlaceShare::read();
    constexpr uint32_t kFirst = PlaceShare::kCount;
    const auto ids = TensorAccessor(PlaceTensors::ids(), PlaceTensors::ids_address(kFirst));
    const auto expert_places =
        TensorAccessor(PlaceTensors::expert_places(), PlaceTensors::expert_places_address(kFirst));
    const auto place_ids =
        TensorAccessor(PlaceTensors::place_ids(), PlaceTensors::place_ids_address(kFirst));
    const auto place_map =
        TensorAccessor(PlaceTensors::place_map(), PlaceTensors::place_map_address(kFirst));

    read_pages(expert_places, 0, 1, get_write_ptr(cb_places), 0, args.num_experts * 4);
    // The reads of a block wait for the writes of the one before, which has the same buffer.
    for (uint32_t done = 0; done < share.num_tokens; done += args.tokens_at_once) {
        const uint32_t first = share.first_token + done;
        const uint32_t left = share.num_tokens - done;
        const uint32_t rows = left < args.tokens_at_once ? left : args.tokens_at_once;
        read_pages(ids, first, rows, get_write_ptr(cb_ids), args.ids_page, args.top_k * 4);
        place_rows(args, rows);
        write_pages(place_ids, first, rows, get_write_ptr(cb_ids), args.ids_page, args.top_k * 4);
    }
    if (share.writes_map != 0) {
        fill_map(args, share.first_place);
        write_pages(place_map, 0, 1, get_write_ptr(cb_map), 0, args.num_places * 4);
    }
}
