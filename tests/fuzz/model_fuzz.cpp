// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model's config.json: its numbers are taken, or refused with UsageError.
#include "runtime/model/read_model.hpp"
#include "tessera/errors.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tessera::fuzz::MemoryFile input(data, size);
    try {
        static_cast<void>(tessera::model::read_model(input.path()));
    } catch (const tessera::UsageError&) {
    }
    return 0;
}
