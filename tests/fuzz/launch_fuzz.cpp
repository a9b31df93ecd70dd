// SPDX-License-Identifier: Apache-2.0
// Any bytes as a launch: refused with CorruptBytes, or decoded to a launch that survives another
// encoding and decoding.
#include <cstdlib>

#include "emu/base/trace_file/byte_reader.hpp"
#include "emu/base/trace_file/launch_codec.hpp"

using namespace tessera::trace_file;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kNames = 4;
    try {
        const auto launch = decode_launch({reinterpret_cast<const char*>(data), size}, kNames);
        if (decode_launch(encode_launch(launch), kNames) != launch) {
            std::abort();
        }
    } catch (const CorruptBytes&) {
    }
    return 0;
}
