// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/tensor_accessor.hpp"

#include <span>

#include "emu/base/round_up.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/noc/endpoint.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"

namespace tessera::kernel {
namespace {

// The words of a sharded accessor behind its flags, as the host appends them.
struct ShardWords {
    explicit ShardWords(std::span<const std::uint32_t> words)
        : aligned_page_size(words[1]),
          rank(words[2]),
          num_banks(words[3]),
          tensor_shape(words.subspan(4, rank)),
          shard_shape(words.subspan(4 + rank, rank)),
          banks(words.subspan(4 + std::size_t{2} * rank)) {}

    std::uint32_t aligned_page_size;
    std::uint32_t rank;
    std::uint32_t num_banks;
    std::span<const std::uint32_t> tensor_shape;
    std::span<const std::uint32_t> shard_shape;
    std::span<const std::uint32_t> banks;  ///< two packed coordinates a word

    [[nodiscard]] CoreCoord bank(std::uint32_t index) const {
        const std::uint32_t packed = banks[index / 2] >> (index % 2 * 16) & 0xFFFFU;
        return {packed >> 8U, packed & 0xFFU};
    }
};

struct ShardPlace {
    std::uint32_t shard = 0;   ///< row-major among the shards
    std::uint32_t inside = 0;  ///< page inside the shard, row-major
    std::uint32_t volume = 1;  ///< pages of a whole shard
};

// From the last dimension to the first: page coordinate → shard and place inside it.
ShardPlace place_of(const ShardWords& words, std::uint32_t page) {
    ShardPlace place;
    std::uint32_t shards = 1;
    for (std::uint32_t i = words.rank; i-- > 0;) {
        const std::uint32_t coordinate = page % words.tensor_shape[i];
        page /= words.tensor_shape[i];
        const std::uint32_t extent = words.shard_shape[i];
        place.shard += coordinate / extent * shards;
        place.inside += coordinate % extent * place.volume;
        shards *= div_up(words.tensor_shape[i], extent);
        place.volume *= extent;
    }
    return place;
}

}  // namespace

std::uint64_t sharded_page_address(std::uint32_t args_offset, std::uint32_t base,
                                   std::uint32_t page, std::uint32_t offset, std::uint8_t noc,
                                   CallSite site) {
    const auto args = current_thread().compile_args;
    const ShardWords words(args.subspan(args_offset));
    const ShardPlace place = place_of(words, page);
    const CoreCoord bank = words.bank(place.shard % words.num_banks);
    const std::uint64_t pages = std::uint64_t{place.shard / words.num_banks} * place.volume;
    const std::uint64_t local =
        base + (pages + place.inside) * words.aligned_page_size + std::uint64_t{offset};
    if ((args[args_offset] & kAccessorIsDram) != 0) {
        return dram_bank_address(bank.x, local, noc, site);
    }
    current_thread().has_page_address = true;
    return make_noc_address(bank, local);
}

std::uint32_t page_distance(std::uint32_t arg, std::uint32_t page_size) {
    const auto args = current_thread().compile_args;
    const std::uint32_t flags = args[arg - 1];
    if ((flags & kAccessorSharded) != 0) {
        return args[arg];
    }
    return (flags & kAccessorIsDram) != 0 ? align_page<true>(page_size)
                                          : align_page<false>(page_size);
}

void refuse_interleaved(const char* call, CallSite site) {
    fault(FaultCategory::Unsupported, site,
          "{}: the tensor is interleaved over all banks and has no shards", call);
}

}  // namespace tessera::kernel
