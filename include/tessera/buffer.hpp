// SPDX-License-Identifier: Apache-2.0
// A buffer on one device: address, size and distribution of its pages. Plain data; the device's
// allocator fills it.
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

/// Distribution of a sharded buffer's pages: `shard_shape` and `tensor_shape` count pages (rows,
/// columns). Shards are numbered row by row; shard i belongs to core i mod n of the n
/// cores, listed along the rows of `cores` (down the columns if COL_MAJOR). In DRAM a core's x is
/// the bank and its y is 0.
/// Source   tt-metal tt_metal/impl/buffers/buffer_distribution_spec.cpp.
struct ShardSpec {
    CoreRangeSet cores;
    std::vector<std::uint32_t> shard_shape;
    std::vector<std::uint32_t> tensor_shape;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
    /// Virtual NoC coordinate of each core of `shard_cores(spec)`; L1 only, set by the allocator.
    std::vector<CoreCoord> noc_coords;
};

/// Returns the cores that hold shards, in the order of the shards.
[[nodiscard]] std::vector<CoreCoord> shard_cores(const ShardSpec& spec);

/// Allocated memory of one device: pages distributed over banks, or over the cores of a shard grid.
struct Buffer {
    std::uint32_t device = 0;
    BufferType type = BufferType::DRAM;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    std::uint32_t address = 0;            ///< same offset in every bank
    std::uint32_t page_size = 0;          ///< bytes of data per page
    std::uint32_t aligned_page_size = 0;  ///< distance of pages inside a bank
    std::uint32_t num_pages = 0;
    std::optional<ShardSpec> shard;
};

/// The compile-time arguments that a kernel's `TensorAccessorArgs<OFFSET>` reads: flag bits (1
/// sharded, 2 DRAM), the aligned page size, and for a sharded buffer: rank, number of banks, tensor
/// shape and shard shape in pages, bank coordinates two per word (x1 y1 x0 y0 from the high byte
/// down; an odd last one in the low half). Everything is a compile-time argument.
/// Source   tt-metal #38958 (2026-03-09), tt_metal/impl/buffers/tensor_accessor_args.cpp.
class TensorAccessorArgs {
public:
    /// Errors   UsageError if a sharded buffer has no shard spec, or one in L1 that was not
    ///          allocated (no NoC coordinates).
    explicit TensorAccessorArgs(const Buffer& buffer);
    /// Appends the words to a kernel's compile-time arguments.
    void append_to(std::vector<std::uint32_t>& compile_args) const;

private:
    std::vector<std::uint32_t> words_;
};

}  // namespace tessera
