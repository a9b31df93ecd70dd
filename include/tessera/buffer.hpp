// SPDX-License-Identifier: Apache-2.0
// A buffer on one device: where its pages lie. Plain data; the allocator is the device's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/core_coord.hpp"

namespace tessera {

enum class BufferType : std::uint8_t { DRAM, L1 };
enum class TensorMemoryLayout : std::uint8_t {
    INTERLEAVED,
    HEIGHT_SHARDED,
    WIDTH_SHARDED,
    BLOCK_SHARDED
};
enum class ShardOrientation : std::uint8_t { ROW_MAJOR, COL_MAJOR };

/// How a sharded buffer's pages are dealt out: `shard_shape` and `tensor_shape` count pages
/// (rows, columns); shard i belongs to core i of `cores` in `orientation`.
struct ShardSpec {
    CoreRangeSet cores;
    std::vector<std::uint32_t> shard_shape;
    std::vector<std::uint32_t> tensor_shape;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
};

struct Buffer {
    std::uint32_t device = 0;
    BufferType type = BufferType::DRAM;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    std::uint32_t address = 0;    ///< same offset in every bank
    std::uint32_t page_size = 0;  ///< bytes of data per page
    std::uint32_t aligned_page_size = 0;  ///< distance of pages inside a bank
    std::uint32_t num_pages = 0;
    std::optional<ShardSpec> shard;
};

/// Appends what a kernel's `TensorAccessorArgs<OFFSET>` reads: flag bits, then the aligned page
/// size (two words for an interleaved buffer), then the shard geometry for a sharded one.
/// Source   tt-metal #38958 (2026-03-09), word order of tech_reports/tensor_accessor.
class TensorAccessorArgs {
public:
    explicit TensorAccessorArgs(const Buffer& buffer);
    void append_to(std::vector<std::uint32_t>& compile_args) const;

private:
    std::vector<std::uint32_t> words_;
};

}  // namespace tessera
