// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of moe_place_ids' kernel.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::moe_place_ids {

// Scratch: tables in L1.
enum class Cb : std::uint32_t { Places = 0, Ids = 1, Map = 2 };

NAMED_COMPILE_ARGS(PlaceArgs,
                   num_experts,  // over all devices
                   top_k,
                   ids_page,        // bytes of a token's ids in L1
                   tokens_at_once,  // rows of ids in L1
                   num_slots,       // slots per device
                   num_places);     // slots of all devices
NAMED_RUNTIME_ARGS(PlaceShare, first_token, num_tokens,
                   first_place,  // first place of this device
                   writes_map);  // 1: this core writes place_map
NAMED_TENSORS(PlaceTensors, ids, expert_places, place_ids, place_map);

}  // namespace tessera::ops::moe_place_ids
