// SPDX-License-Identifier: Apache-2.0
// Tiles for benches of the tile engine, and the plain copy with which they are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/paired.hpp"

namespace tessera::bench {

/// Bytes that start at a cache line.
class TileMemory {
public:
    /// Makes `count` pieces of `size` bytes, each filled with bf16 or fp32 values near one.
    TileMemory(std::size_t count, std::size_t size);

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::byte* at(std::size_t index) const noexcept {
        return first_ + (index % count_) * size_;
    }
    [[nodiscard]] float* floats(std::size_t index) const noexcept {
        return reinterpret_cast<float*>(at(index));
    }

private:
    std::size_t count_;
    std::size_t size_;
    std::shared_ptr<std::byte[]> bytes_;
    std::byte* first_;
};

/// Cache level of a row's operands: the host's L1, or L2.
enum class Level : std::uint8_t { L1, L2 };

/// One operation on tiles that reads `read` and writes `written` bytes per tile.
struct TileOperation {
    std::string name;
    std::size_t read;
    std::size_t written;
    std::function<void(const std::byte* in, std::byte* out)> run;
};

/// Returns the operation on one tile after another; amount in bytes read and written.
[[nodiscard]] Work operation_work(const TileOperation& operation, Level level);
/// Returns a memcpy of the bytes that the operation reads and writes.
[[nodiscard]] Work copy_work(const TileOperation& operation, Level level);

/// Adds rows "<name>/of_copy_in_L1" and "…_L2" with a goal of 0.7.
void add_copy_goals(const TileOperation& operation);

}  // namespace tessera::bench
