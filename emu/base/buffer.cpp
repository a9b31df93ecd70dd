// SPDX-License-Identifier: Apache-2.0
#include "tessera/buffer.hpp"

#include "tessera/errors.hpp"
#include "tessera/work_split.hpp"

namespace tessera {
namespace {

// Flag bits of the first word.  Source: tt-metal tensor_accessor/arg_config.hpp.
constexpr std::uint32_t kSharded = 1;
constexpr std::uint32_t kIsDram = 2;

std::uint32_t pack_coord(CoreCoord core) {
    return (core.x & 0xFFU) << 8 | (core.y & 0xFFU);
}

std::vector<CoreCoord> bank_coords(const Buffer& buffer, const ShardSpec& shard) {
    std::vector<CoreCoord> cores = shard_cores(shard);
    if (buffer.type == BufferType::DRAM) {
        return cores;
    }
    require(shard.noc_coords.size() == cores.size(),
            "TensorAccessorArgs: the sharded L1 buffer has {} NoC coordinates for {} cores; "
            "allocate it on a device first",
            shard.noc_coords.size(), cores.size());
    return shard.noc_coords;
}

void append_shard(std::vector<std::uint32_t>& words, const Buffer& buffer) {
    require(buffer.shard.has_value(), "TensorAccessorArgs: a sharded buffer has no shard spec");
    const ShardSpec& shard = *buffer.shard;
    require(shard.tensor_shape.size() == shard.shard_shape.size(),
            "TensorAccessorArgs: tensor shape has {} dimensions, shard shape {}; they must agree",
            shard.tensor_shape.size(), shard.shard_shape.size());
    const std::vector<CoreCoord> banks = bank_coords(buffer, shard);
    words.push_back(static_cast<std::uint32_t>(shard.tensor_shape.size()));
    words.push_back(static_cast<std::uint32_t>(banks.size()));
    words.insert(words.end(), shard.tensor_shape.begin(), shard.tensor_shape.end());
    words.insert(words.end(), shard.shard_shape.begin(), shard.shard_shape.end());
    for (std::size_t i = 0; i < banks.size(); i += 2) {
        const std::uint32_t second = i + 1 < banks.size() ? pack_coord(banks[i + 1]) << 16 : 0;
        words.push_back(second | pack_coord(banks[i]));
    }
}

}  // namespace

std::vector<CoreCoord> shard_cores(const ShardSpec& spec) {
    const RowWise row_wise =
        spec.orientation == ShardOrientation::ROW_MAJOR ? RowWise::Yes : RowWise::No;
    return corerange_to_cores(spec.cores, spec.cores.num_cores(), row_wise);
}

TensorAccessorArgs::TensorAccessorArgs(const Buffer& buffer) {
    const bool is_sharded = buffer.layout != TensorMemoryLayout::INTERLEAVED;
    words_ = {(is_sharded ? kSharded : 0) | (buffer.type == BufferType::DRAM ? kIsDram : 0),
              buffer.aligned_page_size};
    if (is_sharded) {
        append_shard(words_, buffer);
    }
}

void TensorAccessorArgs::append_to(std::vector<std::uint32_t>& compile_args) const {
    compile_args.insert(compile_args.end(), words_.begin(), words_.end());
}

}  // namespace tessera
