// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit that work on more than one element at a time: sorting networks,
// running sums, Welford's algorithm, reductions, random numbers, quantisation.
// Numeric  fp32 (double inside a reduction), rounded as DST needs it.
// Errors   as sfpu.hpp.
// Source   tt-metal tt_metal/hw/inc/api/compute (compute_kernel_api.h, welford.h, cumsum.h, …).
#pragma once

#include <array>
#include <bit>
#include <span>

#include "tessera/kernel/compute/llk.hpp"
#include "tessera/kernel/compute/reduce.hpp"
#include "tessera/kernel/compute/sfpu_formulas.hpp"

namespace tessera::kernel {

/// Direction of a sorting network.
enum class SortOrder : std::uint8_t { Descending, Ascending };
/// Steps of one phase: compared elements are 2^(step − 1) apart, from the first step down to the
/// last. 0, 0: all steps of the phase.
struct SortSteps {
    int first = 0;
    int last = 0;
};
void sort_columns(std::uint32_t idst, SortOrder order, int first_phase, int last_phase,
                  SortSteps steps, CallSite site);
void merge_columns(std::uint32_t idst, SortOrder order, int iteration, int length, CallSite site);
void rebuild_columns(std::uint32_t idst, SortOrder order, int iteration, int length,
                     bool skips_second, CallSite site);

/// Reciprocals of 1, 2, … as fp32 patterns; empty: the function divides.
using ReciprocalTable = std::span<const std::uint32_t>;
/// Rows of a tile.
struct TileRows {
    std::uint32_t first = 0;
    std::uint32_t count = 32;
};
void welford_clear(CallSite site);
void welford_update(std::uint32_t idst, std::uint32_t start, TileRows rows, ReciprocalTable table,
                    CallSite site);
enum class WelfordMove : std::uint8_t { Save, Restore };
void welford_move(WelfordMove move, std::uint32_t idst, std::uint32_t group, CallSite site);
enum class WelfordLayout : std::uint8_t { Row, Face };
void welford_finalize(WelfordLayout layout, std::uint32_t idst, std::uint32_t group,
                      std::uint32_t scale, ReciprocalTable table, CallSite site);

void cumulative_sum(std::uint32_t idst, bool is_first, CallSite site);
void reduce_in_dst(ckernel::PoolType pool, DataFormat format, ckernel::ReduceDim dim,
                   std::uint32_t idst, std::uint32_t columns, std::uint32_t rows, const char* call,
                   CallSite site);
void largest_of_rows(std::uint32_t idst, std::uint32_t idst_index, std::uint32_t num_rows,
                     CallSite site);
void broadcast_in_dst(ckernel::EltwiseBinaryType type, ckernel::BroadcastType dim,
                      std::uint32_t idst, std::uint32_t idst_vector, const char* call,
                      CallSite site);
void seed_random(std::uint32_t seed, CallSite site);
void random_tile(std::uint32_t idst, float from, float scale, CallSite site);
void dropout(std::uint32_t idst, std::uint32_t probability, float scale, CallSite site);
void set_zero_point(float value, CallSite site);
enum class Quantisation : std::uint8_t { Quantise, Requantise, Dequantise };
void quantise(Quantisation step, std::uint32_t idst, std::uint32_t idst_scale, std::uint32_t odst,
              CallSite site);
void add_integers(std::uint32_t idst, std::uint32_t idst_other, CallSite site);
void mask_with_infinity(std::uint32_t idst, CallSite site);
void round_to_decimals(std::uint32_t idst, std::int32_t decimals, CallSite site);
enum class ScalarOnLeft : std::uint8_t { Divide, DivideTruncated, DivideFloored, Power };
void scalar_on_left(ScalarOnLeft operation, std::uint32_t idst, float scalar, CallSite site);

}  // namespace tessera::kernel

namespace ckernel {

// Top k of the 64 values in each column of two tiles, which start at idst. Their indices are in the
// tiles at idst + 2. The order of equal values may differ from the chip's.
inline void topk_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
/// Sorts subsequences of 2^(i_end_phase + 1) values in alternating directions.
template <bool stable_sort = false>
void topk_local_sort(std::uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0,
                     int i_end_step = 0, int i_start_step = 0, CallSite site = CallSite::here()) {
    tessera::kernel::sort_columns(idst, static_cast<tessera::kernel::SortOrder>(idir != 0),
                                  i_start_phase, i_end_phase, {i_start_step, i_end_step}, site);
}
/// Compares two subsequences of k values, 2^m_iter subsequences apart. The first gets the top k.
template <bool idir = false, bool stable_sort = false>
void topk_merge(std::uint32_t idst, int m_iter, int k, CallSite site = CallSite::here()) {
    tessera::kernel::merge_columns(idst, static_cast<tessera::kernel::SortOrder>(idir), m_iter, k,
                                   site);
}
/// Sorts subsequences of k values, 2^(m_iter + 1) subsequences apart, in alternating directions.
template <bool stable_sort = false>
void topk_rebuild(std::uint32_t idst, bool idir, int m_iter, int k, int /*logk*/, int skip_second,
                  CallSite site = CallSite::here()) {
    tessera::kernel::rebuild_columns(idst, static_cast<tessera::kernel::SortOrder>(idir), m_iter, k,
                                     skip_second != 0, site);
}

// Welford's algorithm: mean and sum of squares of each column, over rows and tiles.
/// Sums with which welford_init starts a pass: 0, or those of the pass before.
enum class WelfordInitMode : std::uint8_t { ClearStats, PreserveStats };
template <WelfordInitMode mode = WelfordInitMode::ClearStats>
void welford_init(CallSite site = CallSite::here()) {
    if constexpr (mode == WelfordInitMode::ClearStats) {
        tessera::kernel::welford_clear(site);
    }
}
/// Configures the units for copies again between two updates. Keeps the sums.
inline void welford_reinit(std::uint32_t cb, CallSite site = CallSite::here()) {
    copy_tile_to_dst_init_short(cb, 0, 0, site);
}
inline void welford_clear(CallSite site = CallSite::here()) {
    tessera::kernel::welford_clear(site);
}
/// Adds the 32 rows of a tile. Its first row is sample `start_idx`.
template <std::uint32_t reciprocal_size>
void welford_update(std::uint32_t input_dst_idx, std::uint32_t start_idx,
                    const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut,
                    CallSite site = CallSite::here()) {
    tessera::kernel::welford_update(input_dst_idx, start_idx, {}, reciprocal_lut, site);
}
template <std::uint32_t reciprocal_size>
void welford_update_rows(std::uint32_t input_dst_idx, std::uint32_t start_idx,
                         std::uint32_t start_row, std::uint32_t num_rows,
                         const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut,
                         CallSite site = CallSite::here()) {
    tessera::kernel::welford_update(input_dst_idx, start_idx, {start_row, num_rows}, reciprocal_lut,
                                    site);
}
/// Writes the means to DST tile `mean_dst_idx`, and the sums of squares to the next tile.
inline void welford_save_state(std::uint32_t mean_dst_idx, std::uint32_t group_id = 0,
                               CallSite site = CallSite::here()) {
    tessera::kernel::welford_move(tessera::kernel::WelfordMove::Save, mean_dst_idx, group_id, site);
}
inline void welford_restore_state(std::uint32_t mean_dst_idx, std::uint32_t group_id = 0,
                                  CallSite site = CallSite::here()) {
    tessera::kernel::welford_move(tessera::kernel::WelfordMove::Restore, mean_dst_idx, group_id,
                                  site);
}
/// Writes the means and the variances to row 0 of the two tiles. A variance is the sum of squares
/// times reciprocal_lut[scale_idx], or divided by scale_idx + 1 without a table.
template <std::size_t reciprocal_size>
void welford_finalize_to_row(std::uint32_t mean_dst_idx, std::uint32_t scale_idx,
                             const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut,
                             CallSite site = CallSite::here()) {
    tessera::kernel::welford_finalize(tessera::kernel::WelfordLayout::Row, mean_dst_idx, 0,
                                      scale_idx, reciprocal_lut, site);
}
/// Does the same in the layout of welford_save_state.
template <std::size_t reciprocal_size>
void welford_finalize_to_face(std::uint32_t mean_dst_idx, std::uint32_t scale_idx,
                              const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut,
                              CallSite site = CallSite::here()) {
    tessera::kernel::welford_finalize(tessera::kernel::WelfordLayout::Face, mean_dst_idx, 0,
                                      scale_idx, reciprocal_lut, site);
}
template <std::size_t reciprocal_size>
void welford_finalize_to_face(std::uint32_t mean_dst_idx, std::uint32_t group_id,
                              std::uint32_t scale_idx,
                              const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut,
                              CallSite site = CallSite::here()) {
    tessera::kernel::welford_finalize(tessera::kernel::WelfordLayout::Face, mean_dst_idx, group_id,
                                      scale_idx, reciprocal_lut, site);
}

/// Running sums of each column from the top. Without `first` they continue those of the tile
/// before.
inline void cumsum_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
inline void cumsum_tile(std::uint32_t idst, bool first = true, CallSite site = CallSite::here()) {
    tessera::kernel::cumulative_sum(idst, first, site);
}

/// Init of sfpu_reduce. REDUCE_COL reduces a tile to its row 0; REDUCE_ROW reduces each row of
/// ct_dim tiles to column 0 of the first.
template <PoolType pool_type, DataFormat format>
void sfpu_reduce_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
template <PoolType pool_type, DataFormat format, ReduceDim reduce_dim = ReduceDim::REDUCE_COL>
void sfpu_reduce(std::uint32_t idst, std::uint32_t ct_dim = 1, std::uint32_t rt_dim = 1,
                 CallSite site = CallSite::here()) {
    tessera::kernel::reduce_in_dst(pool_type, format, reduce_dim, idst, ct_dim, rt_dim,
                                   "sfpu_reduce", site);
}
inline void sfpu_sum_int_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
inline void sfpu_sum_int_col(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::reduce_in_dst(PoolType::SUM, DataFormat::Int32, ReduceDim::REDUCE_COL, idst, 1,
                                   1, "sfpu_sum_int_col", site);
}
inline void sfpu_sum_int_row(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::reduce_in_dst(PoolType::SUM, DataFormat::Int32, ReduceDim::REDUCE_ROW, idst, 1,
                                   1, "sfpu_sum_int_row", site);
}
/// Adds the integers of tile idst + dst_offset to those of idst.
inline void sfpu_add_int(std::uint32_t idst, std::uint32_t dst_offset = 2,
                         std::int32_t /*iterations*/ = 8, CallSite site = CallSite::here()) {
    tessera::kernel::add_integers(idst, idst + dst_offset, site);
}
/// Writes the largest of the first num_rows values of each column to row 0, and its index from the
/// index tile to row 0 of that tile.
template <DataLayout layout = DataLayout::TILE>
void max_reduce_with_indices_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
template <int num_rows = 9, DataLayout layout = DataLayout::TILE, bool accumulate = false,
          int ITERATIONS = 8>
void max_reduce_with_indices(std::uint32_t idst, std::uint32_t idst_idx,
                             std::uint32_t /*chunk*/ = 0, CallSite site = CallSite::here()) {
    static_assert(!accumulate, "max_reduce_with_indices over chunks is not emulated");
    tessera::kernel::largest_of_rows(idst, idst_idx, num_rows, site);
}

// Reduces each row of a block of tiles to its largest value: reduce_tile of MAX along rows, tile by
// tile.
template <std::uint32_t block_ct_dim, bool respect_trigger = false>
void reduce_block_max_row_init(CallSite site = CallSite::here()) {
    tessera::kernel::arm_reduce(PoolType::MAX, ReduceDim::REDUCE_ROW,
                                tessera::kernel::PackMasking::Set, "reduce_block_max_row_init",
                                site);
}
/// Does the same; the output CB is ignored.
template <std::uint32_t block_ct_dim, bool respect_trigger = false>
void reduce_block_max_row_init(std::uint32_t /*ocb*/, CallSite site = CallSite::here()) {
    reduce_block_max_row_init<block_ct_dim>(site);
}
inline void reduce_block_max_row_init_runtime(std::uint32_t /*ocb*/, std::uint32_t /*block_ct_dim*/,
                                              bool /*respect_trigger*/,
                                              CallSite site = CallSite::here()) {
    reduce_block_max_row_init<1>(site);
}
inline void reduce_block_max_row_init_runtime(std::uint32_t /*block_ct_dim*/,
                                              bool /*respect_trigger*/ = false,
                                              CallSite site = CallSite::here()) {
    reduce_block_max_row_init<1>(site);
}
inline void reduce_block_max_row_runtime(std::uint32_t icb, std::uint32_t icb_scaler,
                                         std::uint32_t row_start_index, std::uint32_t idst,
                                         std::uint32_t block_ct_dim,
                                         CallSite site = CallSite::here()) {
    for (std::uint32_t i = 0; i < block_ct_dim; ++i) {
        tessera::kernel::reduce(PoolType::MAX, ReduceDim::REDUCE_ROW, icb, icb_scaler,
                                row_start_index + i, 0, idst, site);
    }
}
/// DST[idst] accumulates the largest value of each row of `block_ct_dim` tiles.
template <std::uint32_t block_ct_dim, bool respect_trigger = false>
void reduce_block_max_row(std::uint32_t icb, std::uint32_t icb_scaler,
                          std::uint32_t row_start_index, std::uint32_t idst,
                          CallSite site = CallSite::here()) {
    reduce_block_max_row_runtime(icb, icb_scaler, row_start_index, idst, block_ct_dim, site);
}
template <std::uint32_t block_ct_dim, bool respect_trigger = false>
void reduce_block_max_row_reinit_short(CallSite site = CallSite::here()) {
    reduce_block_max_row_init<block_ct_dim>(site);
}
template <std::uint32_t block_ct_dim, bool respect_trigger = false>
void reduce_block_max_row_reinit_minimal(CallSite site = CallSite::here()) {
    reduce_block_max_row_init<block_ct_dim>(site);
}
template <bool clear_fp32_accumulation = false, bool respect_trigger = false>
void reduce_block_max_row_uninit(std::uint32_t /*icb*/) {
    tessera::kernel::clear_pack_mask();
}
inline void reduce_block_max_row_uninit_runtime(std::uint32_t /*icb*/,
                                                bool /*respect_trigger*/ = false) {
    tessera::kernel::clear_pack_mask();
}

// Element-wise operations of a DST tile and column 0 or row 0 of another one.
#define TESSERA_SFPU_BCAST(name, type)                                                         \
    inline void sfpu_##name##_bcast_col_init(CallSite site = CallSite::here()) {               \
        tessera::kernel::init_formula(site);                                                   \
    }                                                                                          \
    inline void sfpu_##name##_bcast_row_init(CallSite site = CallSite::here()) {               \
        tessera::kernel::init_formula(site);                                                   \
    }                                                                                          \
    inline void sfpu_##name##_bcast_col(std::uint32_t dst_data_idx, std::uint32_t dst_vec_idx, \
                                        CallSite site = CallSite::here()) {                    \
        tessera::kernel::broadcast_in_dst(type, BroadcastType::COL, dst_data_idx, dst_vec_idx, \
                                          "sfpu_" #name "_bcast_col", site);                   \
    }                                                                                          \
    inline void sfpu_##name##_bcast_row(std::uint32_t dst_data_idx, std::uint32_t dst_vec_idx, \
                                        CallSite site = CallSite::here()) {                    \
        tessera::kernel::broadcast_in_dst(type, BroadcastType::ROW, dst_data_idx, dst_vec_idx, \
                                          "sfpu_" #name "_bcast_row", site);                   \
    }
TESSERA_SFPU_BCAST(add, EltwiseBinaryType::ELWADD)
TESSERA_SFPU_BCAST(sub, EltwiseBinaryType::ELWSUB)
TESSERA_SFPU_BCAST(mul, EltwiseBinaryType::ELWMUL)
#undef TESSERA_SFPU_BCAST

// Random numbers, uniform in [from, from + scale); both are fp32 patterns. The sequence of a seed
// differs from the chip's.
inline void rand_tile_init(std::uint32_t seed = 0, CallSite site = CallSite::here()) {
    tessera::kernel::seed_random(seed, site);
}
inline void rand_tile(std::uint32_t idst, std::uint32_t from, std::uint32_t scale,
                      CallSite site = CallSite::here()) {
    tessera::kernel::random_tile(idst, std::bit_cast<float>(from), std::bit_cast<float>(scale),
                                 site);
}
inline void dropout_kernel_init(std::uint32_t seed = 0, CallSite site = CallSite::here()) {
    tessera::kernel::seed_random(seed, site);
}
/// Sets elements to 0 with a probability of probability / 2^31, and multiplies the rest by
/// `scale_factor`, an fp32 pattern.
inline void dropout_tile(std::uint32_t idst, std::uint32_t probability, std::uint32_t scale_factor,
                         CallSite site = CallSite::here()) {
    tessera::kernel::dropout(idst, probability, std::bit_cast<float>(scale_factor), site);
}

// Quantisation with a scale in each element of the second tile and one zero point, an fp32 pattern.
inline void quant_tile_init(std::uint32_t zero_point, CallSite site = CallSite::here()) {
    tessera::kernel::set_zero_point(std::bit_cast<float>(zero_point), site);
}
inline void requant_tile_init(std::uint32_t zero_point, CallSite site = CallSite::here()) {
    quant_tile_init(zero_point, site);
}
inline void dequant_tile_init(std::uint32_t zero_point, CallSite site = CallSite::here()) {
    quant_tile_init(zero_point, site);
}
inline void quant_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                       CallSite site = CallSite::here()) {
    tessera::kernel::quantise(tessera::kernel::Quantisation::Quantise, idst0, idst1, odst, site);
}
inline void requant_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                         CallSite site = CallSite::here()) {
    tessera::kernel::quantise(tessera::kernel::Quantisation::Requantise, idst0, idst1, odst, site);
}
inline void dequant_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                         CallSite site = CallSite::here()) {
    tessera::kernel::quantise(tessera::kernel::Quantisation::Dequantise, idst0, idst1, odst, site);
}

/// Sets elements to +inf where the mask is 0. The mask is in the tile after the data.
inline void mask_posinf_tile(std::uint32_t idst_data, std::uint32_t /*idst2_mask*/,
                             CallSite site = CallSite::here()) {
    tessera::kernel::mask_with_infinity(idst_data, site);
}
/// Init of floor_tile, ceil_tile, trunc_tile, frac_tile and round_tile.
inline void rounding_op_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
/// Rounds to `decimals` digits after the decimal point, ties to even.
inline void round_tile(std::uint32_t idst, std::int32_t decimals,
                       CallSite site = CallSite::here()) {
    tessera::kernel::round_to_decimals(idst, decimals, site);
}
/// value / x; value is an fp32 pattern.
inline void rdiv_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
template <RoundingMode rounding_mode = RoundingMode::None>
void rdiv_tile(std::uint32_t dst_index, std::uint32_t value, int /*vector_mode*/ = VectorMode::RC,
               CallSite site = CallSite::here()) {
    using tessera::kernel::ScalarOnLeft;
    constexpr auto kOperation = rounding_mode == RoundingMode::Trunc ? ScalarOnLeft::DivideTruncated
                                : rounding_mode == RoundingMode::Floor ? ScalarOnLeft::DivideFloored
                                                                       : ScalarOnLeft::Divide;
    tessera::kernel::scalar_on_left(kOperation, dst_index, std::bit_cast<float>(value), site);
}
/// base ^ x; base is an fp32 pattern.
inline void rpow_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::init_formula(site);
}
inline void rpow_tile(std::uint32_t idst, std::uint32_t base_val,
                      int /*vector_mode*/ = VectorMode::RC, CallSite site = CallSite::here()) {
    tessera::kernel::scalar_on_left(tessera::kernel::ScalarOnLeft::Power, idst,
                                    std::bit_cast<float>(base_val), site);
}

}  // namespace ckernel
