// SPDX-License-Identifier: Apache-2.0
// Finds the largest magnitude of each unit of pages, then makes its codes.
#include "../../expert_rows/kernels/table_words.hpp"

namespace {

constexpr uint32_t cb_values = 0;
constexpr uint32_t cb_codes = 1;
constexpr uint32_t cb_scales = 2;

union Word {
    uint32_t bits;
    float value;
};

float widen(uint32_t bfloat16) {
    Word word;
    word.bits = bfloat16 << 16;
    return word.value;
}

// To nearest even in e4m3; beyond 448 it is 448.
uint8_t e4m3_of(float value) {
    Word word;
    word.value = value;
    const uint8_t sign = (uint8_t)(word.bits >> 24 & 0x80);
    const uint32_t magnitude = word.bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
        return 0x7F;
    }
    if (magnitude < 0x3C800000) {  // below 2^-6: steps of 2^-9, which adding 2^14 rounds to
        Word shifted;
        shifted.bits = magnitude;
        shifted.value += 16384.0f;
        return sign | (uint8_t)(shifted.bits & 0xF);
    }
    const uint32_t rounded = magnitude + 0x7FFFF + (magnitude >> 20 & 1);
    const uint32_t code = (rounded >> 20) - ((127 - 7) << 3);
    return sign | (uint8_t)(code < 0x7E ? code : 0x7E);
}

}  // namespace

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(3);
    const uint32_t count = get_arg_val<uint32_t>(4);
    const uint32_t pages = get_compile_time_arg_val(0);
    const uint32_t elements = get_compile_time_arg_val(1);
    constexpr auto input_args = TensorAccessorArgs<2>();
    constexpr auto codes_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
    constexpr auto scales_args = TensorAccessorArgs<codes_args.next_compile_time_args_offset()>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0));
    const auto codes_out = TensorAccessor(codes_args, get_arg_val<uint32_t>(1));
    const auto scales_out = TensorAccessor(scales_args, get_arg_val<uint32_t>(2));

    const auto* values = reinterpret_cast<const tt_l1_ptr uint16_t*>(get_write_ptr(cb_values));
    auto* codes = reinterpret_cast<tt_l1_ptr uint8_t*>(get_write_ptr(cb_codes));
    for (uint32_t unit = first; unit < first + count; ++unit) {
        Word largest;
        largest.bits = 0x35800000;  // 2^-20
        for (uint32_t page = 0; page < pages; ++page) {
            read_pages(input, unit * pages + page, 1, get_write_ptr(cb_values), 0, elements * 2);
            for (uint32_t i = 0; i < elements; ++i) {
                const uint32_t magnitude = (uint32_t)(values[i] & 0x7FFF) << 16;
                const bool is_number = magnitude <= 0x7F800000;
                largest.bits = is_number && magnitude > largest.bits ? magnitude : largest.bits;
            }
        }
        Word scale;
        scale.value = largest.value / 448.0f;
        for (uint32_t page = 0; page < pages; ++page) {
            if (pages != 1) {
                read_pages(input, unit * pages + page, 1, get_write_ptr(cb_values), 0,
                           elements * 2);
            }
            for (uint32_t i = 0; i < elements; ++i) {
                codes[i] = e4m3_of(widen(values[i]) / scale.value);
            }
            write_pages(codes_out, unit * pages + page, 1, get_write_ptr(cb_codes), 0, elements);
        }
        words_at(get_write_ptr(cb_scales))[0] = scale.bits;
        write_pages(scales_out, unit, 1, get_write_ptr(cb_scales), 0, 4);
    }
}
