// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/operand_error.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::fp8 {
namespace {

constexpr int kBias = 7;
constexpr int kMantissaBits = 3;
constexpr float kLargest = 448;
constexpr std::uint8_t kNan = 0x7F;

std::array<float, 256> make_values() {
    // 256 codes fit in a table: decoding is one load for each element.
    std::array<float, 256> values{};
    for (int code = 0; code < 256; ++code) {
        const int exponent = code >> kMantissaBits & 0xF;
        const int mantissa = code & 7;
        const int significand = exponent == 0 ? mantissa : 8 + mantissa;
        const float magnitude = std::ldexp(static_cast<float>(significand),
                                           std::max(exponent, 1) - kBias - kMantissaBits);
        const bool is_nan = (code & kNan) == kNan;
        values[static_cast<std::size_t>(code)] =
            std::copysign(is_nan ? std::numeric_limits<float>::quiet_NaN() : magnitude,
                          code < 128 ? 1.0F : -1.0F);
    }
    return values;
}

}  // namespace

float value_of(std::uint8_t code) {
    static const std::array<float, 256> kValues = make_values();
    return kValues[code];
}

std::uint8_t code_of(float value) {
    const int sign = std::signbit(value) ? 0x80 : 0;
    if (std::isnan(value)) {
        return static_cast<std::uint8_t>(sign | kNan);
    }
    // Saturates at 448, as NVIDIA's conversion does. The cast of torch gives NaN above 464 instead.
    const float magnitude = std::min(std::fabs(value), kLargest);
    // In steps of the mantissa's last bit; below 2^-6 these are constant.
    const int exponent = magnitude == 0 ? 1 - kBias : std::max(std::ilogb(magnitude), 1 - kBias);
    const auto steps =
        static_cast<int>(std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent)));
    // A carry out of the mantissa is one into the exponent; a denormal has exponent field 0.
    return static_cast<std::uint8_t>(sign | ((exponent + kBias - 1) * 8 + steps));
}

float scale_of(float largest, ScaleRule rule, float most) {
    constexpr float kReciprocal = 1.0F / kLargest;
    // Each rule is that of one implementation; they differ for blocks of zeros and in the order of
    // the division.
    switch (rule) {
        case ScaleRule::Trtllm:
            // TensorRT-LLM: the smallest normal float instead of 0.
            return std::max(largest / most, std::numeric_limits<float>::min());
        case ScaleRule::Dsv3:
            // DeepSeek-V3's kernel: no block's largest element counts as less than 1e-4.
            return std::max(largest, 1e-4F) / kLargest;
        case ScaleRule::Dsv32:
            return std::max(largest, 1e-4F) * kReciprocal;
        case ScaleRule::Ue8m0:
            // The scale is a power of two, rounded up, so no element exceeds 448.
            return std::exp2(std::ceil(std::log2(std::max(largest, 1e-4F) * kReciprocal)));
        case ScaleRule::FlashinferTest:
            return largest == 0 ? 1.0F : largest / kLargest;
        case ScaleRule::PerToken:
            // vLLM, one scale a token: the smallest scale is 1 / (448 x 512).
            return std::max(largest / kLargest, 1.0F / (kLargest * 512));
    }
    return 1;
}

std::uint8_t code_of(float value, float scale, ScaleRule rule) {
    // vLLM multiplies by the reciprocal. A product and a division differ in the last code of some
    // elements.
    return code_of(rule == ScaleRule::PerToken ? value * (1.0F / scale) : value / scale);
}

float quantise(std::span<const float> values, ScaleRule rule, std::span<std::uint8_t> codes) {
    float largest = 0;
    for (const float value : values) {
        largest = std::max(largest, std::fabs(value));
    }
    const float scale = scale_of(largest, rule);
    std::ranges::transform(values, codes.begin(),
                           [&](float value) { return code_of(value, scale, rule); });
    return scale;
}

void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index, DataFormat format,
                std::uint32_t page_bytes, std::uint32_t pages) {
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(page_bytes * pages, {{index, format}})
                             .set_page_size(index, page_bytes));
}

void append(std::initializer_list<const Buffer*> buffers, std::vector<std::uint32_t>& compile_args,
            std::vector<std::uint32_t>& runtime_args) {
    for (const Buffer* buffer : buffers) {
        TensorAccessorArgs(*buffer).append_to(compile_args);
        runtime_args.push_back(buffer->address);
    }
}

void set_share_args(Program& program, KernelHandle kernel, CoreCoord grid,
                    const std::vector<std::uint32_t>& args) {
    // All cores run and take their share by index, since the counts are in device memory.
    for (std::uint32_t y = 0; y < grid.y; ++y) {
        for (std::uint32_t x = 0; x < grid.x; ++x) {
            const CoreIndex index{.core = y * grid.x + x, .num_cores = grid.x * grid.y};
            set_args(program, kernel, CoreCoord{x, y}, index, args);
        }
    }
}

std::vector<Cta> ctas_of(std::span<const std::int32_t> batch, std::span<const std::int32_t> limits,
                         std::int32_t live, std::uint32_t tile) {
    std::vector<Cta> ctas;
    // Only blocks below the live number belong to a batch; entries after it are stale.
    for (std::size_t i = 0; i < static_cast<std::size_t>(live); ++i) {
        const auto first = static_cast<std::uint32_t>(i) * tile;
        ctas.push_back({static_cast<std::uint32_t>(batch[i]), first,
                        static_cast<std::uint32_t>(limits[i]) - first});
    }
    return ctas;
}

void check_ctas(std::string_view op, const CtaTables& tables, std::uint32_t tile) {
    const auto limits = tables.limits.values.as<std::int32_t>();
    check_indices(op, tables.live, limits.size() + 1, Nobody::Forbidden);
    const auto live = static_cast<std::size_t>(tables.live.values.as<std::int32_t>()[0]);
    for (std::size_t cta = 0; cta < live; ++cta) {
        const auto first = static_cast<std::int64_t>(cta) * tile;
        if (limits[cta] < first || limits[cta] > first + tile) {
            throw OperandError(
                std::string(tables.limits.name),
                fmt::format("{}: {}({}) is {}; allowed: {} to {}, the end of the CTA's rows", op,
                            tables.limits.name, cta, limits[cta], first, first + tile));
        }
    }
}

std::vector<ElementRange> rows_that_count(std::span<const Cta> ctas, std::uint32_t columns) {
    std::vector<ElementRange> ranges;
    for (const Cta& cta : ctas) {
        ranges.push_back(
            {std::uint64_t{cta.first_row} * columns, std::uint64_t{cta.num_rows} * columns});
    }
    return ranges;
}

std::vector<ElementRange> scales_that_count(std::span<const Cta> ctas, std::uint32_t blocks,
                                            std::uint32_t rows) {
    std::vector<ElementRange> ranges;
    // Scales are stored block by block, each with a row of all tokens.
    for (std::uint32_t block = 0; block < blocks; ++block) {
        for (const Cta& cta : ctas) {
            ranges.push_back({std::uint64_t{block} * rows + cta.first_row, cta.num_rows});
        }
    }
    return ranges;
}

}  // namespace tessera::ops::fp8
