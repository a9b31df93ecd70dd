// SPDX-License-Identifier: Apache-2.0
// Any bytes as a trace file: read launch by launch, or refused with UsageError. The mutator
// corrects all checksums, so that the fuzzer reaches the code after them.
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "emu/base/trace_file/trace_reader.hpp"
#include "tessera/errors.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

// Layout of emu/base/trace_file/section.hpp.
constexpr std::size_t kStartBytes = 16;
constexpr std::size_t kFrameBytes = 32;

void put_checksum(std::uint8_t* to, const std::uint8_t* bytes, std::size_t size) {
    const auto sum = static_cast<std::uint32_t>(::crc32_z(0, bytes, size));
    std::memcpy(to, &sum, sizeof(sum));
}

void correct_checksums(std::uint8_t* data, std::size_t size) {
    for (std::size_t at = kStartBytes; at + kFrameBytes <= size;) {
        std::uint8_t* const frame = data + at;
        std::uint64_t stored = 0;
        std::memcpy(&stored, frame + 8, sizeof(stored));
        stored = std::min<std::uint64_t>(stored, size - at - kFrameBytes);
        put_checksum(frame + 24, frame + kFrameBytes, stored);
        put_checksum(frame + 28, frame, 28);
        at += kFrameBytes + stored;
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned /*seed*/) {
    const std::size_t mutated = LLVMFuzzerMutate(data, size, most);
    correct_checksums(data, mutated);
    return mutated;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tessera::fuzz::MemoryFile file(data, size);
    try {
        tessera::TraceReader reader(file.path());
        while (reader.next()) {
        }
    } catch (const tessera::UsageError&) {
    }
    return 0;
}
