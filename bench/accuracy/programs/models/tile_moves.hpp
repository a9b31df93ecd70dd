// SPDX-License-Identifier: Apache-2.0
// Parts of TTNN's programs that move tiles of interleaved tensors: a reader and a writer of one
// tile at a time, and the CB between them.
#pragma once

#include <cstdint>

#include "bench/accuracy/bench.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::score {

/// The CB that tile readers fill.
inline constexpr std::uint8_t kTilesCb = 0;

struct Move {
    DeviceTensor input;
    DeviceTensor output;
};

/// Allocates two tensors interleaved over L1.
[[nodiscard]] Move allocate_move(Bench& bench, const TensorSpec& input, const TensorSpec& output);

/// Pages that a reader reads: runs of pages with gaps between them.
struct Runs {
    std::uint32_t first = 0;  ///< first page of the first run
    std::uint32_t length = 0;
    std::uint32_t skipped = 0;
};

/// Adds a CB of `pages` pages that are not tiles.
void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index,
                std::uint32_t pages, std::uint32_t page_bytes, DataFormat format);

/// Adds readers with a barrier after each page. Each share's pages are counted over the runs. After
/// its last page a core stores `filler_words` zeros to CB 1.
void add_tile_reader(Program& program, const ops::SharedWork& work, const Buffer& input,
                     const Runs& runs, std::uint32_t filler_words = 0);

/// When the writer pops a page.
enum class EachPage : std::uint8_t { Flushed, BehindBarrier };

/// Makes each core write its share's pages, `step` apart, from its first page on.
void add_tile_writer(Program& program, const ops::SharedWork& work, const Buffer& output,
                     std::uint8_t cb, std::uint32_t step, EachPage each);

}  // namespace tessera::score
