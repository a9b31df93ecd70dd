// SPDX-License-Identifier: Apache-2.0
// Any text as a table of measurements for `tessera score`: read, or refused with UsageError.
#include "bench/accuracy/csv_rows.hpp"
#include "tessera/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        static_cast<void>(
            tessera::score::parse_csv({reinterpret_cast<const char*>(data), size}, "rows.csv"));
    } catch (const tessera::UsageError&) {
    }
    return 0;
}
