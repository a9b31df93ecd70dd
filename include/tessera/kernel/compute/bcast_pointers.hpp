// SPDX-License-Identifier: Apache-2.0
// Broadcasts with exactly the vendor's signatures, without a call site, so that a kernel may take
// pointers to them. The third argument of an init is the line of the call. A broadcast of rows has
// the row as an argument.
#pragma once

#include "tessera/kernel/compute/bcast.hpp"

namespace ckernel {

// A call chooses the functions of bcast.hpp, because they are not templates.
#define TESSERA_BCAST_INIT(init)                                                       \
    inline void init(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t /*line*/) { \
        init(icb0, icb1);                                                              \
    }
#define TESSERA_BCAST_CALL(call)                                                                  \
    template <class... None>                                                                      \
    void call(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1, \
              std::uint32_t idst) {                                                               \
        call(icb0, icb1, itile0, itile1, idst, CallSite::here());                                 \
    }
#define TESSERA_BCAST_CALL_OF_ROW(call)                                                           \
    template <class... None>                                                                      \
    void call(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1, \
              std::uint32_t idst, std::uint32_t bcast_row_idx) {                                  \
        call(icb0, icb1, itile0, itile1, idst, bcast_row_idx, CallSite::here());                  \
    }
TESSERA_BCAST_INIT(add_bcast_rows_init_short)
TESSERA_BCAST_INIT(add_bcast_cols_init_short)
TESSERA_BCAST_INIT(add_bcast_scalar_init_short)
TESSERA_BCAST_INIT(sub_bcast_rows_init_short)
TESSERA_BCAST_INIT(sub_bcast_cols_init_short)
TESSERA_BCAST_INIT(sub_tiles_bcast_scalar_init_short)
TESSERA_BCAST_INIT(mul_bcast_rows_init_short)
TESSERA_BCAST_INIT(mul_bcast_cols_init_short)
TESSERA_BCAST_INIT(mul_tiles_bcast_scalar_init_short)
TESSERA_BCAST_CALL_OF_ROW(add_tiles_bcast_rows)
TESSERA_BCAST_CALL_OF_ROW(sub_tiles_bcast_rows)
TESSERA_BCAST_CALL_OF_ROW(mul_tiles_bcast_rows)
TESSERA_BCAST_CALL(add_tiles_bcast_cols)
TESSERA_BCAST_CALL(sub_tiles_bcast_cols)
TESSERA_BCAST_CALL(mul_tiles_bcast_cols)
TESSERA_BCAST_CALL(add_tiles_bcast_scalar)
TESSERA_BCAST_CALL(sub_tiles_bcast_scalar)
TESSERA_BCAST_CALL(mul_tiles_bcast_scalar)
#undef TESSERA_BCAST_INIT
#undef TESSERA_BCAST_CALL
#undef TESSERA_BCAST_CALL_OF_ROW

}  // namespace ckernel
