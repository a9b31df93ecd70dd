// SPDX-License-Identifier: Apache-2.0
// Splits the choices of this core's tokens.
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::split_zero_experts;

// The id of no expert, -1: it must stay one in both outputs, also where an earlier op has removed a
// choice.
constexpr uint32_t kNobody = 0xFFFFFFFF;

}  // namespace

void kernel_main() {
    const auto range = SplitRange::read();
    const auto args = SplitArgs::read();
    const TensorAccessor ids(SplitTensors::ids(), SplitTensors::ids_address(SplitRange::kCount));
    const TensorAccessor routed(SplitTensors::routed(),
                                SplitTensors::routed_address(SplitRange::kCount));
    const TensorAccessor rows(SplitTensors::rows(), SplitTensors::rows_address(SplitRange::kCount));
    const uint32_t row_bytes = args.top_k * sizeof(uint32_t);
    const uint32_t ids_l1 = get_write_ptr(index_of(Cb::Ids));
    const uint32_t rows_l1 = get_write_ptr(index_of(Cb::Rows));
    auto* id = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ids_l1);
    auto* row = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(rows_l1);

    for (uint32_t token = range.first_token; token < range.first_token + range.num_tokens;
         ++token) {
        noc_async_read(ids.get_noc_addr(token), ids_l1, row_bytes);
        noc_async_read_barrier();
        for (uint32_t k = 0; k < args.top_k; ++k) {
            const uint32_t chosen = id[k];
            const bool is_zero = chosen != kNobody && chosen >= args.experts;
            row[k] = is_zero ? token : kNobody;
            // The choice is removed from the routed part, so no product is made for it. The split
            // is done in place.
            id[k] = is_zero ? kNobody : chosen;
        }
        noc_async_write(ids_l1, routed.get_noc_addr(token), row_bytes);
        noc_async_write(rows_l1, rows.get_noc_addr(token), row_bytes);
        noc_async_write_barrier();  // the next token's choices use the same address
    }
}
