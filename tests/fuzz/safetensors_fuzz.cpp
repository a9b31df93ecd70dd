// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file: every tensor is read, or refused with UsageError.
#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/errors.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tessera::fuzz::MemoryFile input(data, size);
    try {
        const tessera::SafetensorsFile file(input.path());
        for (const auto& tensor : file.tensors()) {
            try {
                static_cast<void>(file.read(tensor.name));
            } catch (const tessera::UsageError&) {
            }
        }
    } catch (const tessera::UsageError&) {
    }
    return 0;
}
