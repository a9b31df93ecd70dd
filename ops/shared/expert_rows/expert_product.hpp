// SPDX-License-Identifier: Apache-2.0
// Programs that multiply rows with the weights of the expert that each belongs to, as a list of
// blocks or counts in device memory say.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "emu/base/fields/field.hpp"
#include "ops/op.hpp"
#include "ops/shared/expert_rows/kernels/product_args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/program.hpp"

namespace tessera::ops {

/// Cores that read weights: all of them from all banks, or those next to a bank from it alone.
enum class WeightReads : std::uint8_t { Auto, AllBanks, NearBanks };

/// Operands of every product of expert rows.
inline constexpr Operand kExpertWeightsOperand{"expert_weights", "(E/D, H_out, H_codes)",
                                               "bfloat16 | bfp8_b | bfp4_b | fp8_e4m3 | uint8",
                                               "TILE"};
inline constexpr Operand kExpertScalesOperand{.name = "expert_scales",
                                              .shape = "any",
                                              .format = "float32 | bfloat16 | uint8 | fp8_e4m3",
                                              .layout = "ROW_MAJOR",
                                              .presence = Presence::Optional};
inline constexpr Operand kRowScalesOperand{.name = "row_scales",
                                           .shape = "any",
                                           .format = "float32",
                                           .layout = "ROW_MAJOR",
                                           .presence = Presence::Optional};
inline constexpr Operand kZeroPointsOperand{.name = "zero_points",
                                            .shape = "any",
                                            .format = "uint8",
                                            .layout = "ROW_MAJOR",
                                            .presence = Presence::Optional};
inline constexpr Operand kExpertBiasOperand{.name = "bias",
                                            .shape = "(E/D, H_out)",
                                            .format = "bfloat16",
                                            .layout = "ROW_MAJOR",
                                            .presence = Presence::Optional};
inline constexpr Operand kExpertFactorsOperand{.name = "expert_factors",
                                               .shape = "(E/D)",
                                               .format = "float32",
                                               .layout = "ROW_MAJOR",
                                               .presence = Presence::Optional};
/// One rounding to bfloat16 is at most 2^-8 of the element; the rest is for fp32 sums.
inline constexpr Tolerance kProductTolerance{.max_relative_error = 0.005, .min_pcc = 0.99999};

/// Defaults of the schedule that reads by all cores.
inline constexpr std::uint32_t kDefaultStrip = 3;
inline constexpr std::uint32_t kDefaultKBlock = 8;
inline constexpr std::uint32_t kDefaultDepth = 2;

/// Transport of rows and weights in every product of expert rows.
struct ProductSchedule {
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t strip = 0;     ///< adjacent output tiles of a unit of work
    std::uint32_t k_block = 0;   ///< K tiles of weights of one CB push
    std::uint32_t k_chunk = 0;   ///< K tiles of rows that are tilized together
    std::uint32_t cb_depth = 0;  ///< blocks of weights that the CB holds
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    WeightReads weight_reads = WeightReads::Auto;
    std::uint32_t bank_cores = 0;  ///< cores next to each bank; 0: chosen by the shape
    std::uint32_t tile_rows = 0;   ///< that share a read of weights, at most; 0: chosen
    /// Rows of an expert on average, as the caller expects them; 0: all rows, over the experts.
    std::uint32_t expected_rows = 0;
};

/// Returns rows of the table of fields for an op whose struct of parameters derives from
/// ProductSchedule.
template <class Spec>
inline constexpr std::array kProductFields{
    config::field<&Spec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&Spec::strip>("strip", "3", "output tiles side by side in a unit of work",
                                config::Limits{1, 4}),
    config::field<&Spec::k_block>("k_block", "8", "K tiles of weights of one CB push",
                                  config::Limits{1, 256}),
    config::field<&Spec::k_chunk>("k_chunk", "8", "K tiles of rows tilized together",
                                  config::Limits{1, 64}),
    config::field<&Spec::cb_depth>("cb_depth", "2", "blocks of weights in a CB", kDepth),
    config::field<&Spec::math_fidelity>("math_fidelity", "HiFi4", kFidelityProse),
    config::field<&Spec::weight_reads>(
        "weight_reads", "auto",
        "all_banks: each core reads from all DRAM banks; near_banks: cores next to a bank read "
        "from it, and add their sums; auto: near_banks for large matrices of plain numbers, "
        "without grid, strip, k_block, k_chunk and cb_depth"),
    config::field<&Spec::bank_cores>("bank_cores", "0",
                                     "cores that read from each bank with near_banks; 0: chosen "
                                     "by the shape",
                                     config::Limits{0, 64}),
    config::field<&Spec::tile_rows>("tile_rows", "0",
                                    "tile rows of an expert that share a read of its weights, at "
                                    "most; 0: near_banks as many as fit in L1 and DST, all_banks "
                                    "as many or one, by what a core then reads",
                                    config::Limits{0, row_products::kMostTileRows}),
    config::field<&Spec::expected_rows>(
        "expected_rows", "0",
        "rows of an expert on average, from which weight_reads and tile_rows are chosen; 0: all "
        "rows that the operands have room for, divided by the experts",
        config::Limits{0, 1073741824}),
};

inline constexpr std::string_view kPartsProse =
    "matrices in expert_weights, one behind the other: scale blocks start at each one's first row";

/// Two tables of fields as one.
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr std::array<config::Field, A + B> joined(
    const std::array<config::Field, A>& first, const std::array<config::Field, B>& second) {
    std::array<config::Field, A + B> all{};
    std::copy(first.begin(), first.end(), all.begin());
    std::copy(second.begin(), second.end(), all.begin() + A);
    return all;
}

/// One device's tensors, and where the rows are.
struct ExpertProduct {
    const DeviceTensor& rows;     ///< (…, K)
    const DeviceTensor& weights;  ///< (E, N, K) in tiles
    const DeviceTensor& output;   ///< (…, N)

    /// Operands of a list (moe_align_block_size): ids, experts of the blocks, end.
    const DeviceTensor* sorted_ids = nullptr;
    const DeviceTensor* expert_ids = nullptr;
    const DeviceTensor* num_listed = nullptr;
    std::uint32_t block_size = 0;
    bool reads_by_choice = false;   ///< row id / top_k of the input, else the place in the list
    bool writes_by_choice = false;  ///< row id of the output, else the place
    std::uint32_t top_k = 1;
    std::uint32_t num_choices = 0;                 ///< list entries from here on refer to no choice
    const DeviceTensor* topk_weights = nullptr;    ///< (T, K) float32, by id; null: none
    const DeviceTensor* expert_scales = nullptr;   ///< scales of weights (ScaleShape); null: none
    const DeviceTensor* row_scales = nullptr;      ///< scales of rows; null: none
    const DeviceTensor* zero_points = nullptr;     ///< for 4-bit weights; null: 8 or none
    const DeviceTensor* bias = nullptr;            ///< (E, N) bfloat16; null: none
    std::uint32_t parts = 1;                       ///< see ScaledOperands
    const DeviceTensor* expert_factors = nullptr;  ///< (E) float32; null: none

    /// Operand of batches, without a list: rows of each expert, in (E, max, K) rows; null: all of
    /// them.
    const DeviceTensor* counts = nullptr;

    [[nodiscard]] bool is_batched() const { return sorted_ids == nullptr; }
};

/// Elements that share a scale, along each side of a block.
inline constexpr std::uint32_t kScaleBlock = 128;
/// Columns that share a scale of mxfp4.
inline constexpr std::uint32_t kMicroBlock = 32;
/// Columns that share a scale of nvfp4.
inline constexpr std::uint32_t kE4m3Block = 16;
/// Columns that may share a scale of codes of 4 bits, in the order in which shapes are tried.
inline constexpr std::array kScaleGroups{kScaleBlock, std::uint32_t{64}, std::uint32_t{256},
                                         std::uint32_t{32}};

/// Elements that share a scale, for both operands of a product. Quotients are rounded up.
///
/// Weights  numbers (E, N, K) have float32 scales: of a matrix (E) or (E, 1, 1), of a row of it
///          (E, N, 1), of 128 of a row (E, N, K/128), of 128×128 (E, P·(N/P)/128, K/128). Those of
///          P parts, such as gate and up, have blocks that start at each part's first row.
/// Packed   codes of 4 bits are uint8 (E, N, K/2), the even column in the lower half. With scales
///          of uint8 (E, N, K/32) they are mxfp4: e2m1 times 2^(scale − 127). With scales of
///          fp8_e4m3 (E, N, K/16) they are nvfp4: e2m1 times the scale and the expert's factor. With
///          scales of bfloat16 or float32 (E, N, K/G), G of 32, 64, 128, 256 or K, they are (code −
///          zero point) times the scale; zero points are uint8 of the scales' shape, or all 8.
/// Rows     have float32 scales (1), (1, 1), (R, 1) or (R, K/128); the last two also with the axes
///          of the rows' stack.
struct ScaleShape {
    bool has_weight_scales = false;
    bool has_row_scales = false;
    bool has_zero_points = false;
    bool has_bias = false;
    bool has_factors = false;
    bool is_by_column = false;        ///< weights have more than one scale along N
    std::uint32_t n_each = 0;         ///< columns of the output that share one
    std::uint32_t n_scales = 1;       ///< along N
    std::uint32_t k_each = 0;         ///< elements of K that share one
    std::uint32_t weight_blocks = 1;  ///< Bk
    std::uint32_t row_blocks = 1;
    bool is_one_row = false;   ///< all rows share theirs
    bool is_one_page = false;  ///< scales of matrices are a vector
    row_products::WeightForm form = row_products::WeightForm::Numbers;
    DataFormat format = DataFormat::Float32;  ///< format of the weights' scales

    [[nodiscard]] bool is_packed() const { return form != row_products::WeightForm::Numbers; }
    /// Returns whether there are neither scales, zero points nor a bias.
    [[nodiscard]] bool is_plain() const {
        return !is_packed() && !has_weight_scales && !has_row_scales && !has_bias;
    }
    /// Returns whether sums of rows are multiplied by scales.
    [[nodiscard]] bool scales_rows() const { return has_row_scales || has_factors; }
    /// Returns whether sums of columns are multiplied by scales: e2m1 multiplies the weights
    /// instead.
    [[nodiscard]] bool scales_columns() const { return has_weight_scales && !is_e2m1(form); }
    /// Returns whether a scale applies only to part of a sum or to some columns, or precedes a
    /// bias.
    [[nodiscard]] bool is_in_blocks() const {
        return is_packed() || is_by_column || weight_blocks > 1 || row_blocks > 1 ||
               (has_bias && (has_weight_scales || has_row_scales));
    }
};

/// Operands of a product; the last ones may be missing.
struct ScaledOperands {
    const TensorPlan& rows;
    const TensorPlan& weights;
    const TensorPlan* expert_scales = nullptr;
    const TensorPlan* row_scales = nullptr;
    const TensorPlan* zero_points = nullptr;
    const TensorPlan* bias = nullptr;
    std::uint32_t parts =
        1;  ///< matrices of equal rows in one: the blocks of each start at its first row
    const TensorPlan* expert_factors = nullptr;
};
[[nodiscard]] ScaleShape scale_shape(const ScaledOperands& operands);
/// Checks that scales have one of those shapes.
void judge_scales(const ScaledOperands& operands, RuleJudge& judge);

/// Rules of the operands' formats and scales, and of the schedule. `is_weighted`: whether rows are
/// multiplied with routing weights too.
void judge_product(const ArchSpec& arch, const ScaledOperands& operands, bool is_weighted,
                   const ProductSchedule& schedule, RuleJudge& judge);

/// Returns the program of an output-stationary product: the unit of work is a strip of output tiles
/// of up to 32 rows of one expert, or of several times as many if they share a read of weights.
///
/// Each core computes its own share from the list or the counts in device memory. Unit u of U
/// belongs to core ⌊u·C/U⌋; units of the same rows have adjacent numbers. The host reads nothing
/// back. The reader gathers the rows, and compute tilizes them once for all strips that follow.
/// Compute multiplies them with the weights' tiles, which are (N,K) and are transposed on their way
/// into the source register. It packs rows again, which the writer scatters.
///
/// Numeric  fp32 sums, which a routing weight multiplies in fp32; one rounding to bfloat16. The
///          weight includes the scales of a row and a matrix if there are no other scales. The
///          source register truncates it to TF32 (an error of at most 2^-11). With scales in blocks
///          each block's sum is multiplied by its column's and its row's scale in fp32 and added to
///          the previous sums in L1.
[[nodiscard]] Program expert_product(std::string_view op, const ArchSpec& arch,
                                     const ExpertProduct& product, const ProductSchedule& schedule);

/// Returns arguments and tensors of the readers of a product, without those of a schedule.
[[nodiscard]] row_products::ReaderArgs product_reader_args(const ExpertProduct& product);
[[nodiscard]] row_products::ReaderTensors product_reader_tensors(const ExpertProduct& product);

/// Computes one row of `n` products: Σ_k row[k] · weights[expert, n, k] in double, times `scale`.
void product_row(std::span<const float> row, std::span<const float> expert_weights, double scale,
                 std::span<float> out);

/// Host tensors of an expert's weights as a run holds them; null: not given.
struct CodedWeights {
    const HostTensor& codes;
    const HostTensor* scales = nullptr;
    const HostTensor* zero_points = nullptr;
    const HostTensor* factors = nullptr;
};
/// Returns the numbers of codes, without scales: (E, N, K) float32.
[[nodiscard]] std::vector<float> numbers_of(const CodedWeights& weights, const ScaleShape& scales);
/// Returns the same weights times their scales, of matrices (N, K) of `parts` parts.
[[nodiscard]] std::vector<float> weights_of(const CodedWeights& weights, const ScaleShape& scales,
                                            std::uint32_t parts, std::size_t n, std::size_t k);

/// Values from which a product's reference is computed.
struct ProductValues {
    std::vector<float> rows;
    std::vector<float> weights;        ///< without scales
    std::vector<float> expert_scales;  ///< empty: none
    std::vector<float> row_scales;
    std::vector<float> bias;     ///< (E, N); empty: none
    std::vector<float> factors;  ///< (E); empty: none
    ScaleShape scales;
    std::uint32_t parts = 1;
    std::size_t n = 0;
    std::size_t k = 0;

    /// Row `row` of the operand times the weights of `expert` and its scales, plus its bias, times
    /// `factor`.
    void multiply(std::size_t row, std::size_t expert, double factor, std::span<float> out) const;
};
/// Positions of the operands that all products have in the table of an op.
struct ProductPlaces {
    std::size_t rows, weights, expert_scales, row_scales, zero_points, bias, expert_factors;
};
[[nodiscard]] consteval ProductPlaces product_places(std::span<const Operand> operands) {
    return {.rows = place_of(operands, "input"),
            .weights = place_of(operands, kExpertWeightsOperand.name),
            .expert_scales = place_of(operands, kExpertScalesOperand.name),
            .row_scales = place_of(operands, kRowScalesOperand.name),
            .zero_points = place_of(operands, kZeroPointsOperand.name),
            .bias = place_of(operands, kExpertBiasOperand.name),
            .expert_factors = place_of(operands, kExpertFactorsOperand.name)};
}
/// Reads the values of the operands of a step that are given.
[[nodiscard]] ProductValues product_values(const ReferenceContext& context,
                                           const ProductPlaces& places, std::uint32_t parts);
/// Returns the operands of a call.
[[nodiscard]] ScaledOperands scaled_operands(std::span<const TensorPlan> inputs,
                                             const ProductPlaces& places, std::uint32_t parts);

/// Returns all of a host tensor of bfloat16, float32 or e4m3 as float32.
[[nodiscard]] std::vector<float> floats_of(const HostTensor& tensor);

/// Returns the words of a product's schedule: "near_banks" or "multi_core". `rows` are those of all
/// experts, as the host knows them.
[[nodiscard]] std::string product_schedule_words(const ArchSpec& arch,
                                                 const ScaledOperands& operands, std::uint32_t rows,
                                                 const ProductSchedule& schedule);

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::WeightReads>{
    EnumName<ops::WeightReads>{"auto", ops::WeightReads::Auto},
    EnumName<ops::WeightReads>{"all_banks", ops::WeightReads::AllBanks},
    EnumName<ops::WeightReads>{"near_banks", ops::WeightReads::NearBanks},
};

}  // namespace tessera::config
