// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/ttnn_blocks.hpp"

#include <tuple>

#include "bench/accuracy/parameters.hpp"

namespace tessera::score {
namespace {

/// Returns the CB tiles: two blocks of each operand, one of output and one of partial sums.
std::uint64_t buffer_tiles(const CoreProduct& product, Subblock block) {
    const std::uint64_t operands = 2 * (std::uint64_t{block.height} + block.width) * product.k;
    return operands + 2 * std::uint64_t{block.height} * block.width;
}

/// Returns the L1 tiles that remain beside the tensors.
std::uint64_t free_tiles(const ArchSpec& arch, const CoreProduct& product) {
    const std::uint64_t room = (arch.l1.size.value - arch.l1.reserved.value) / product.tile_bytes;
    const std::uint64_t taken = std::uint64_t{product.m} * (product.k + product.n);
    return room > taken ? room - taken : 0;
}

bool is_better(Subblock block, Subblock than) {
    const auto rank = [](Subblock candidate) {
        const std::uint32_t apart = candidate.height > candidate.width
                                        ? candidate.height - candidate.width
                                        : candidate.width - candidate.height;
        return std::tuple(std::uint64_t{candidate.height} * candidate.width,
                          -static_cast<std::int64_t>(apart));
    };
    return rank(block) > rank(than);
}

}  // namespace

Subblock ttnn_out_block(const ArchSpec& arch, const CoreProduct& product) {
    const std::uint64_t room = free_tiles(arch, product);
    Subblock best{0, 0};
    const auto consider = [&](Subblock block) {
        const bool divides = product.m % block.height == 0 && product.n % block.width == 0;
        if (divides && buffer_tiles(product, block) < room && is_better(block, best)) {
            best = block;
        }
    };
    for (std::uint32_t height = 1; height <= product.m; ++height) {
        consider({height, product.n});
    }
    for (std::uint32_t width = 1; width < product.n; ++width) {
        consider({1, width});
    }
    expressible(best.height > 0,
                "no block of {}x{} tiles with K of {} tiles fits beside its shards", product.m,
                product.n, product.k);
    return best;
}

Subblock ttnn_sharded_subblock(const ArchSpec& arch, Subblock out_block) {
    const bool fits = out_block.width <= arch.dst.tiles_16bit / 2;
    return {1, fits ? out_block.width : 1};
}

}  // namespace tessera::score
