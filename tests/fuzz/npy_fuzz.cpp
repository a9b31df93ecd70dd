// SPDX-License-Identifier: Apache-2.0
// Any bytes as a NumPy array: its integers are read, or refused with UsageError.
#include "runtime/model/npy_file.hpp"
#include "tessera/errors.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tessera::fuzz::MemoryFile input(data, size);
    try {
        static_cast<void>(tessera::model::read_npy(input.path()));
    } catch (const tessera::UsageError&) {
    }
    return 0;
}
