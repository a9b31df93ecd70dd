// SPDX-License-Identifier: Apache-2.0
// Tiles for benches of the tile engine, and the plain copy they are held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/paired.hpp"

namespace tessera::bench {

/// Bytes at the start of a cache line.
class TileMemory {
public:
    /// `count` pieces of `size` bytes, each filled with bf16 or fp32 values near one.
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

/// Where the operands of a row lie: in the host's L1 or beyond it, in L2.
enum class Level : std::uint8_t { L1, L2 };

/// One operation on tiles that reads `read` and writes `written` bytes a tile.
struct TileOperation {
    std::string name;
    std::size_t read;
    std::size_t written;
    std::function<void(const std::byte* in, std::byte* out)> run;
};

/// The operation on one tile after another; amount in bytes read and written.
[[nodiscard]] Work operation_work(const TileOperation& operation, Level level);
/// memcpy of as many bytes, read and written together, as the operation moves.
[[nodiscard]] Work copy_work(const TileOperation& operation, Level level);

/// Rows "<name>/of_copy_in_L1" and "…_L2" with a goal of 0.7.
void add_copy_goals(const TileOperation& operation);

}  // namespace tessera::bench
