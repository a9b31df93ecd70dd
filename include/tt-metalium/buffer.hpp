// SPDX-License-Identifier: Apache-2.0
// Buffers in DRAM and L1: interleaved over banks, or in shards on cores.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "tt-metalium/base_types.hpp"
#include "tt-metalium/bfloat16.hpp"
#include "tt-metalium/buffer_types.hpp"
#include "tt-metalium/core_coord.hpp"
#include "tt-metalium/hal_types.hpp"
#include "tt-metalium/sub_device.hpp"

namespace tt::tt_metal {

class Allocator;
class IDevice;
namespace detail {
struct BufferState;
}

/// Cores and shape of the shards, in elements.
struct ShardSpec {
    CoreRangeSet grid;
    std::array<std::uint32_t, 2> shape{};
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;

    ShardSpec(const CoreRangeSet& cores, const std::array<std::uint32_t, 2>& shard_shape,
              const ShardOrientation& order = ShardOrientation::ROW_MAJOR)
        : grid(cores), shape(shard_shape), orientation(order) {}
    ShardSpec(const CoreRangeSet& cores, const std::array<std::uint32_t, 2>& shard_shape,
              const ShardOrientation& order, bool /*halo*/)
        : ShardSpec(cores, shard_shape, order) {}

    [[nodiscard]] std::uint32_t num_cores() const { return grid.num_cores(); }
    [[nodiscard]] std::uint32_t numel() const { return shape[0] * shape[1]; }
    friend bool operator==(const ShardSpec&, const ShardSpec&) = default;
};

/// Shards of a buffer: shape of a page in elements, and of the tensor in pages.
struct ShardSpecBuffer {
    ShardSpec tensor_shard_spec;
    std::array<std::uint32_t, 2> page_shape{};
    std::array<std::uint32_t, 2> tensor2d_shape_in_pages{};

    ShardSpecBuffer(const CoreRangeSet& cores, const std::array<std::uint32_t, 2>& shard_shape,
                    const ShardOrientation& order, const std::array<std::uint32_t, 2>& page,
                    const std::array<std::uint32_t, 2>& tensor_in_pages)
        : tensor_shard_spec(cores, shard_shape, order),
          page_shape(page),
          tensor2d_shape_in_pages(tensor_in_pages) {}
    ShardSpecBuffer(const CoreRangeSet& cores, const std::array<std::uint32_t, 2>& shard_shape,
                    const ShardOrientation& order, bool /*halo*/,
                    const std::array<std::uint32_t, 2>& page,
                    const std::array<std::uint32_t, 2>& tensor_in_pages)
        : ShardSpecBuffer(cores, shard_shape, order, page, tensor_in_pages) {}
    ShardSpecBuffer(const ShardSpec& shards, const std::array<std::uint32_t, 2>& page,
                    const std::array<std::uint32_t, 2>& tensor_in_pages)
        : tensor_shard_spec(shards), page_shape(page), tensor2d_shape_in_pages(tensor_in_pages) {}

    [[nodiscard]] CoreRangeSet grid() const { return tensor_shard_spec.grid; }
    [[nodiscard]] std::array<std::uint32_t, 2> shape() const { return tensor_shard_spec.shape; }
    [[nodiscard]] ShardOrientation orientation() const { return tensor_shard_spec.orientation; }
    void set_shard_spec(const ShardSpec& shards) { tensor_shard_spec = shards; }
    /// Returns the shape of a shard in pages.
    [[nodiscard]] std::array<std::uint32_t, 2> shape_in_pages() const;
    /// Returns the pages of a shard.
    [[nodiscard]] DeviceAddr num_pages() const;
    /// Older name of num_pages().
    [[nodiscard]] DeviceAddr size() const { return num_pages(); }
};

/// An interleaved buffer. `size` and `page_size` are bytes.
struct BufferConfig {
    IDevice* device;
    DeviceAddr size;
    DeviceAddr page_size;
    BufferType buffer_type;
    TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
};
using InterleavedBufferConfig = BufferConfig;

/// A sharded buffer.
struct ShardedBufferConfig {
    IDevice* device{};
    DeviceAddr size{};
    DeviceAddr page_size{};
    BufferType buffer_type = BufferType::L1;
    TensorMemoryLayout buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED;
    ShardSpecBuffer shard_parameters;
};

/// Shards of a buffer with their layout, or none.
class BufferShardingArgs {
public:
    BufferShardingArgs() = default;
    BufferShardingArgs(std::nullopt_t) {}  // NOLINT: vendor's shape
    BufferShardingArgs(std::optional<ShardSpecBuffer> shards, TensorMemoryLayout layout)
        : shards_(std::move(shards)), layout_(layout) {}

    [[nodiscard]] const std::optional<ShardSpecBuffer>& shard_spec() const { return shards_; }
    [[nodiscard]] TensorMemoryLayout buffer_layout() const { return layout_; }

private:
    std::optional<ShardSpecBuffer> shards_;
    TensorMemoryLayout layout_ = TensorMemoryLayout::INTERLEAVED;
};

[[nodiscard]] bool is_sharded(const TensorMemoryLayout& layout);

/// Bytes of a buffer, counted over its pages without the padding between them.
struct BufferRegion {
    DeviceAddr offset = 0;
    DeviceAddr size = 0;
    BufferRegion(DeviceAddr begin, DeviceAddr bytes) : offset(begin), size(bytes) {}
};

/// Allocated memory, at one address in every bank, on each device of `device()`.
class Buffer {
public:
    /// Allocates a buffer of `size` bytes in pages of `page_size` bytes.
    /// Errors   std::runtime_error if `size` is not a multiple of `page_size`, the shards do not
    ///          fit, or memory runs out.
    static std::shared_ptr<Buffer> create(IDevice* device, DeviceAddr size, DeviceAddr page_size,
                                          BufferType type,
                                          const BufferShardingArgs& sharding = std::nullopt,
                                          std::optional<bool> bottom_up = std::nullopt,
                                          std::optional<SubDeviceId> sub_device = std::nullopt);
    /// Places the buffer at an address that the caller owns.
    static std::shared_ptr<Buffer> create(IDevice* device, DeviceAddr address, DeviceAddr size,
                                          DeviceAddr page_size, BufferType type,
                                          const BufferShardingArgs& sharding = std::nullopt,
                                          std::optional<bool> bottom_up = std::nullopt,
                                          std::optional<SubDeviceId> sub_device = std::nullopt);
    explicit Buffer(std::unique_ptr<detail::BufferState> state);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    [[nodiscard]] IDevice* device() const;
    [[nodiscard]] DeviceAddr size() const;
    [[nodiscard]] bool is_allocated() const;
    /// Returns the address in the first bank, which is the same in all banks.
    [[nodiscard]] std::uint32_t address() const;
    [[nodiscard]] DeviceAddr page_size() const;
    [[nodiscard]] std::uint32_t num_pages() const;
    [[nodiscard]] std::uint32_t num_dev_pages() const { return num_pages(); }
    [[nodiscard]] BufferType buffer_type() const;
    [[nodiscard]] TensorMemoryLayout buffer_layout() const;
    [[nodiscard]] CoreType core_type() const;
    [[nodiscard]] bool is_l1() const;
    [[nodiscard]] bool is_dram() const;
    [[nodiscard]] bool bottom_up() const { return is_dram(); }
    [[nodiscard]] std::uint32_t alignment() const;
    [[nodiscard]] DeviceAddr aligned_page_size() const;
    [[nodiscard]] DeviceAddr aligned_size() const { return num_pages() * aligned_page_size(); }
    [[nodiscard]] DeviceAddr aligned_size_per_bank() const;
    [[nodiscard]] DeviceAddr page_address(DeviceAddr bank, DeviceAddr page) const;
    [[nodiscard]] bool has_shard_spec() const;
    /// Returns the shards.
    /// Errors   std::runtime_error if the buffer is interleaved.
    [[nodiscard]] ShardSpecBuffer shard_spec() const;
    [[nodiscard]] std::optional<std::uint32_t> num_cores() const;
    /// Returns the coordinate that reaches the bank of page 0 on NoC 0.
    [[nodiscard]] CoreCoord noc_coordinates() const;
    [[nodiscard]] CoreCoord noc_coordinates(std::uint32_t bank) const;
    [[nodiscard]] std::size_t unique_id() const;

    [[nodiscard]] detail::BufferState& state() const { return *state_; }

private:
    std::unique_ptr<detail::BufferState> state_;
};

/// Argument for a buffer in calls of older programs.
using BufferReference = std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>;

}  // namespace tt::tt_metal

#include "tt-metalium/enum_name.hpp"

template <>
inline constexpr bool tt::names::kIsPrinted<tt::tt_metal::TensorMemoryLayout> = true;
template <>
inline constexpr bool tt::names::kIsPrinted<tt::tt_metal::ShardOrientation> = true;
template <>
inline constexpr bool tt::names::kIsPrinted<tt::tt_metal::BufferType> = true;

namespace tt::tt_metal {
std::ostream& operator<<(std::ostream& stream, TensorMemoryLayout layout);
std::ostream& operator<<(std::ostream& stream, BufferType type);
}  // namespace tt::tt_metal
