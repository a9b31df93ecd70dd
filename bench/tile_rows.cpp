// SPDX-License-Identifier: Apache-2.0
#include "bench/tile_rows.hpp"

#include <cstring>
#include <utility>

namespace tessera::bench {
namespace {

constexpr std::size_t kLine = 64;

std::size_t bytes_in(Level level) {
    return level == Level::L1 ? 16 * 1024 : 256 * 1024;
}

/// Pieces of memory for the input, the output and how many of each.
struct Streams {
    TileMemory in;
    TileMemory out;

    Streams(std::size_t read, std::size_t written, Level level)
        : in(bytes_in(level) / (read + written), read), out(in.count(), written) {}
};

}  // namespace

TileMemory::TileMemory(std::size_t count, std::size_t size)
    : count_(count), size_(size), bytes_(new std::byte[count * size + kLine]) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.get());
    first_ = bytes_.get() + (kLine - address % kLine) % kLine;
    for (std::size_t i = 0; i < count * size; ++i) {
        first_[i] = i % 2 == 0 ? std::byte(i * 7 % 128) : std::byte{0x3F};
    }
}

Work operation_work(const TileOperation& operation, Level level) {
    const Streams streams(operation.read, operation.written, level);
    const std::size_t count = streams.in.count();
    return {[=] {
                for (std::size_t i = 0; i < count; ++i) {
                    operation.run(streams.in.at(i), streams.out.at(i));
                }
                benchmark::ClobberMemory();
            },
            static_cast<double>(count * (operation.read + operation.written))};
}

Work copy_work(const TileOperation& operation, Level level) {
    const std::size_t size = (operation.read + operation.written) / 2;
    return operation_work({"memcpy", size, size,
                           [size](const std::byte* in, std::byte* out) {
                               std::memcpy(out, in, size);
                               benchmark::DoNotOptimize(out);
                           }},
                          level);
}

void add_copy_goals(const TileOperation& operation) {
    for (const Level level : {Level::L1, Level::L2}) {
        const std::string name =
            operation.name + "/of_copy_in_" + (level == Level::L1 ? "L1" : "L2");
        add_goal(
            name, [=] { return operation_work(operation, level); },
            [=] { return copy_work(operation, level); }, {.ratio = 0.7});
    }
}

}  // namespace tessera::bench
