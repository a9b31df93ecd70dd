// SPDX-License-Identifier: Apache-2.0
// A matmul's schedule with every length filled in, in tiles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ops/matmul/matmul.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::matmul {

struct Inputs {
    const DeviceTensor& in0;  ///< (M,K); padding of its last columns must be zero
    const DeviceTensor& in1;  ///< (K,N); padding of its last rows must be zero
};

struct Outputs {
    const DeviceTensor& out;  ///< (M,N)
};

/// A key of the schedule does not go with the shape or the device: "matmul: in0_block_w 3 …".
class ScheduleError : public UsageError {
public:
    ScheduleError(std::string_view key, std::string text)
        : UsageError(fmt::format("{}: {} {}", kSpec.name, key, text)),
          key_(key),
          text_(std::move(text)) {}
    [[nodiscard]] std::string_view key() const noexcept { return key_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string key_;
    std::string text_;
};

/// Throws ScheduleError with the formatted text unless `holds`.
template <class... Args>
void require_key(bool holds, std::string_view key, fmt::format_string<Args...> format,
                 Args&&... args) {
    if (!holds) {
        throw ScheduleError(key, fmt::format(format, std::forward<Args>(args)...));
    }
}

/// Lengths of one extent (M or N) as it is spread over cores.
struct Spread {
    std::uint32_t tiles = 0;      ///< tiles of the tensor
    std::uint32_t per_core = 0;   ///< tiles of a core; the last core may exceed the tensor
    std::uint32_t out_block = 0;  ///< tiles of one pass over K
    std::uint32_t cores = 0;      ///< cores with a part of it

    [[nodiscard]] std::uint32_t num_blocks() const { return per_core / out_block; }
    /// Returns the tiles of core `index` that are in the tensor.
    [[nodiscard]] std::uint32_t valid(std::uint32_t index) const;
};

struct Blocking {
    Spread m;
    Spread n;
    std::uint32_t k_tiles = 0;
    std::uint32_t in0_block_w = 0;
    Subblock subblock;

    [[nodiscard]] std::uint32_t num_k_blocks() const { return k_tiles / in0_block_w; }
    [[nodiscard]] std::uint32_t out_block_tiles() const { return m.out_block * n.out_block; }
    [[nodiscard]] std::uint32_t per_core_tiles() const { return m.per_core * n.per_core; }
};

/// Returns the blocks of a product. Extents, in0_block_w and cb_depth must not be 0.
/// Errors   ScheduleError, see make_program.
[[nodiscard]] Blocking block_up(const ArchSpec& arch, const MatmulShape& shape,
                                const MatmulSpec& schedule);

/// Returns whether the packer adds partial sums in L1: two K blocks or fewer are not worth it.
[[nodiscard]] bool accumulates_in_l1(const Blocking& blocking, const MatmulSpec& schedule);
/// fp32 with fp32_dest_acc; otherwise bfloat16 where the packer adds, else the output's format.
[[nodiscard]] DataFormat partials_format(const Blocking& blocking, const MatmulSpec& schedule);

/// Returns the K tiles of one core's shard of a block-sharded in0: whole blocks, rounded up.
[[nodiscard]] std::uint32_t in0_shard_width(const Blocking& blocking);

}  // namespace tessera::ops::matmul
