// SPDX-License-Identifier: Apache-2.0
// Rules of a product of expert rows: formats, shapes and what fits in L1 and DST.
#include <fmt/format.h>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/near_banks.hpp"
#include "ops/shared/expert_rows/product_buffers.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

/// Checks that operands have formats of one kind, and rows as many columns as weights.
void judge_formats(const ScaledOperands& operands, const ScaleShape& scales, RuleJudge& judge) {
    const TensorSpec& weights = operands.weights.spec;
    const TensorSpec& rows = operands.rows.spec;
    const bool is_fp8 = rows.format == DataFormat::Fp8_e4m3;
    const bool has_both = scales.has_weight_scales && scales.has_row_scales;
    judge.require(is_fp8 == (weights.format == DataFormat::Fp8_e4m3) && (!is_fp8 || has_both),
                  "input", "must be fp8_e4m3 with expert_weights and scales, or none of them");
    const std::uint32_t k = row_length(rows.shape);
    const std::uint32_t width = scales.is_packed() ? div_up(k, 2U) : k;
    judge.require(weights.shape[2] == width && (!scales.is_packed() || k % 2 == 0),
                  "expert_weights",
                  fmt::format("have {} columns; allowed with rows of {}: {}{}", weights.shape[2], k,
                              width, scales.is_packed() ? ", two codes a byte" : ""));
}

/// Checks the schedule of 4-bit weights.
void judge_packed(const ScaleShape& scales, std::uint32_t k_tiles, const ProductSchedule& schedule,
                  RuleJudge& judge) {
    // A tile of bytes holds two tiles of K: even and odd columns become separate tiles.
    judge.require(
        schedule.k_chunk % 2 == 0, "k_chunk",
        fmt::format("is {}; allowed with codes of 4 bits: an even number", schedule.k_chunk));
    const std::uint32_t shared = scale_tiles(scales, k_tiles);
    const bool is_micro = is_e2m1(scales.form);
    const bool fits = is_micro || scales.weight_blocks == 1 || schedule.k_block % shared == 0 ||
                      shared % schedule.k_block == 0;
    judge.require(
        schedule.k_block % 2 == 0 && fits, "k_block",
        fmt::format("is {}; allowed with codes of 4 bits: an even number{}", schedule.k_block,
                    is_micro || scales.weight_blocks == 1
                        ? ""
                        : fmt::format(" that is a multiple of {}, or divides it", shared)));
}

}  // namespace

void judge_product(const ArchSpec& arch, const ScaledOperands& operands, bool is_weighted,
                   const ProductSchedule& schedule, RuleJudge& judge) {
    const TensorSpec& weights = operands.weights.spec;
    const ScaleShape scales = scale_shape(operands);
    judge_formats(operands, scales, judge);
    judge_scales(operands, judge);
    if (judge_grid(arch, schedule.grid, judge) && schedule.weight_reads == WeightReads::NearBanks) {
        const std::string fault = near_banks_fault(
            arch, {operands.rows.spec, operands.weights.spec, scales.is_plain()}, schedule);
        judge.require(fault.empty(), "weight_reads",
                      fmt::format("near_banks {}; or set weight_reads to all_banks", fault));
        return;
    }
    judge_depth(schedule.cb_depth, judge);
    const std::uint32_t sums = sums_in_dst(arch, scales, is_weighted).tiles;
    judge.require(schedule.strip >= 1 && schedule.strip <= sums, "strip",
                  fmt::format("is {}; allowed: 1 to {} (half of DST, less a tile for weights of "
                              "rows, scales and bias)",
                              schedule.strip, sums));
    judge.require(
        schedule.tile_rows <= 1 || scales.is_plain(), "tile_rows",
        fmt::format("is {}; allowed with codes, scales or bias: 0 or 1", schedule.tile_rows));
    judge.require(schedule.k_block > 0, "k_block", "is 0; allowed: at least 1");
    judge.require(schedule.k_chunk > 0, "k_chunk", "is 0; allowed: at least 1");
    if (schedule.k_chunk == 0 || schedule.k_block == 0) {
        return;
    }
    const std::uint32_t k_tiles = inner_tiles(weights.shape, scales);
    if (scales.is_packed()) {
        judge_packed(scales, k_tiles, schedule, judge);
    }
    // The program reduces tile_rows until its buffers fit (with_tile_rows), so that only the need
    // of one tile row can be too large.
    ProductSchedule alone = schedule;
    alone.tile_rows = 1;
    const std::uint64_t bytes =
        product_buffer_bytes(arch, k_tiles, weights.format, scales, alone, 0);
    judge.require(bytes <= buffer_room(arch), "k_block",
                  fmt::format("{} with rows of {} takes {} B of circular buffers; a core has {} B "
                              "of L1 for them",
                              schedule.k_block, row_length(operands.rows.spec.shape), bytes,
                              buffer_room(arch)));
}

}  // namespace tessera::ops
