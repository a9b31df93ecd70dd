// SPDX-License-Identifier: Apache-2.0
// DPRINT and DEVICE_PRINT: text that kernels print line by line, in the order of each kernel
// thread. Lines go to standard error, to a file or nowhere (TESSERA_DPRINT, `--dprint`), and begin
// with device, core and thread. Printing changes no value and no predicted cycle: instructions of
// this header are not counted. Macros and manipulators have the vendor's names.
#pragma once

#include <type_traits>

#include "tessera/kernel/circular_buffer_interface.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {

/// A value of a print call.
struct PrintValue {
    enum class Kind : std::uint8_t { Signed, Unsigned, Float, Text, Character, Slice };
    Kind kind = Kind::Unsigned;
    std::uint64_t word = 0;  ///< bits of the value; two's complement for Signed and Character
    double number = 0;
    const char* text = nullptr;
    const struct PrintedSlice* slice = nullptr;
};

/// Setting for the values that follow in the stream.
enum class PrintMode : std::uint8_t {
    Decimal,
    Hexadecimal,
    Octal,
    Fixed,
    DefaultFloat,
    Width,        ///< least number of characters of the next value
    StickyWidth,  ///< least number of characters of all further values
    Precision,    ///< digits after the decimal point
};

/// Thread of a compute kernel that prints. Whole: a data-movement kernel, or all three threads.
enum class PrintUnit : std::uint8_t { Whole, Unpack, Math, Pack };

void print_value(const PrintValue& value, PrintUnit unit);
void print_mode(PrintMode mode, int value);
void print_format(const char* format, const PrintValue* values, std::uint32_t count,
                  PrintUnit unit);

}  // namespace tessera::kernel

/// Manipulators of DPRINT.
struct ENDL {};
struct HEX {};
struct DEC {};
struct OCT {};
struct FIXED {};
struct DEFAULTFLOAT {};
/// Sets the width of numbers that DPRINT prints.
struct SETW {
    explicit constexpr SETW(int characters, bool sticky = true)
        : width(characters), is_sticky(sticky) {}
    int width;
    bool is_sticky;
};
/// Sets the digits of numbers that DPRINT prints.
struct SETPRECISION {
    explicit constexpr SETPRECISION(int places) : digits(places) {}
    int digits;
};
/// A float that DPRINT prints.
struct F32 {
    explicit constexpr F32(float number) : value(number) {}
    float value;
};
/// The bits of a bfloat16 that DPRINT prints.
struct BF16 {
    explicit constexpr BF16(std::uint16_t pattern) : bits(pattern) {}
    std::uint16_t bits;
};
/// The bits of a bfloat16 that DEVICE_PRINT prints.
struct bf16_t {
    explicit constexpr bf16_t(std::uint16_t pattern) : val(pattern) {}
    std::uint16_t val;
};
/// An element of bfp8_b that DEVICE_PRINT prints: sign, magnitude of 7 bits, and the exponent that
/// 16 elements share.
struct bf8_t {
    constexpr bf8_t(std::uint8_t shared, std::uint8_t signed_magnitude)
        : exponent(shared), mantissa(signed_magnitude) {}
    explicit constexpr bf8_t(std::uint16_t bits)
        : bf8_t(static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8U)) {}
    std::uint8_t exponent;
    std::uint8_t mantissa;
};
/// An element of bfp4_b, with a magnitude of 3 bits.
struct bf4_t {
    constexpr bf4_t(std::uint8_t shared, std::uint8_t signed_magnitude)
        : exponent(shared), mantissa(signed_magnitude) {}
    explicit constexpr bf4_t(std::uint16_t bits)
        : bf4_t(static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8U)) {}
    std::uint8_t exponent;
    std::uint8_t mantissa;
};
/// Text that is known when the kernel is compiled.
struct ct_string {
    const char* text;
    constexpr operator const char*() const { return text; }  // NOLINT: a text as any other
};
#define CTSTR(literal) (ct_string{literal})
/// An unsigned integer that DPRINT prints.
struct U32 {
    explicit constexpr U32(std::uint32_t number) : value(number) {}
    std::uint32_t value;
};
/// Call stack of a print call. Kernels run as code of the host and have no addresses of the chip's
/// code; DEVICE_PRINT prints a text that says so.
struct dp_top_callstack_t {
    constexpr dp_top_callstack_t(std::uintptr_t /*pc*/, std::uintptr_t /*ra*/,
                                 std::uintptr_t /*skip_frames*/) {}
    static constexpr dp_top_callstack_t current(std::uintptr_t skip_frames) {
        return {0, 0, skip_frames};
    }
};
/// Rows and columns of a tile that a TileSlice prints.
struct SliceRange {
    std::uint8_t h0 = 0, h1 = 32, hs = 8, w0 = 0, w1 = 32, ws = 8;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
};
/// Side of a circular buffer that a TileSlice reads, and (below) pointer from which it reads.
enum dprint_tslice_cb_t : std::uint8_t { TSLICE_INPUT_CB, TSLICE_OUTPUT_CB };
enum dprint_tslice_ptr_t : std::uint8_t { TSLICE_RD_PTR, TSLICE_WR_PTR };

namespace tessera::kernel {

/// Elements of a tile that are printed.
struct PrintedSlice {
    std::uint32_t cb;
    std::uint32_t tile;
    SliceRange range;
    dprint_tslice_ptr_t pointer;
    bool ends_rows;
};

/// Returns the value of a block format's element with `bits` bits of magnitude.
template <unsigned bits, class Element>
float value_of(const Element& element) {
    constexpr std::uint32_t kMagnitudes = 1U << bits;
    const float scale = __builtin_bit_cast(float, std::uint32_t{element.exponent} << 23U);
    const float magnitude = static_cast<float>(element.mantissa % kMagnitudes) / (kMagnitudes / 2);
    return (element.mantissa & kMagnitudes) != 0 ? -magnitude * scale : magnitude * scale;
}

/// Returns a value for the stream. Its C++ type gives the kind, as the type's tag does on the chip.
template <class T>
PrintValue print_value_of(const T& value) {
    using Kind = PrintValue::Kind;
    using Plain = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<Plain, bf16_t>) {
        return print_value_of(__builtin_bit_cast(float, std::uint32_t{value.val} << 16U));
    } else if constexpr (std::is_same_v<Plain, bf8_t>) {
        return print_value_of(value_of<7>(value));
    } else if constexpr (std::is_same_v<Plain, bf4_t>) {
        return print_value_of(value_of<3>(value));
    } else if constexpr (std::is_same_v<Plain, char>) {
        return {.kind = Kind::Character, .word = static_cast<std::uint64_t>(value)};
    } else if constexpr (std::is_same_v<Plain, dp_top_callstack_t>) {
        return {.kind = Kind::Text, .text = "(no callstack: the kernel runs as code of the host)"};
    } else if constexpr (std::is_base_of_v<PrintedSlice, Plain>) {
        return {.kind = Kind::Slice, .slice = &value};
    } else if constexpr (std::is_enum_v<Plain>) {
        return print_value_of(static_cast<std::underlying_type_t<Plain>>(value));
    } else if constexpr (std::is_floating_point_v<Plain>) {
        return {.kind = Kind::Float, .number = static_cast<double>(value)};
    } else if constexpr (std::is_same_v<Plain, CbLength> && !std::is_integral_v<Plain>) {
        return print_value_of(static_cast<std::uint32_t>(value));
    } else if constexpr (std::is_integral_v<Plain>) {
        if constexpr (std::is_signed_v<Plain>) {
            return {.kind = Kind::Signed, .word = static_cast<std::uint64_t>(value)};
        } else {
            return {.kind = Kind::Unsigned, .word = value};
        }
    } else if constexpr (std::is_convertible_v<const T&, const char*>) {
        return {.kind = Kind::Text, .text = value};
    } else {
        static_assert(std::is_pointer_v<std::decay_t<T>>,
                      "DPRINT takes numbers, characters, texts, addresses and its manipulators");
        // The window's part of an address is the machine's: a kernel sees the L1 address.
        return {.kind = Kind::Unsigned,
                .word = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(value))};
    }
}

}  // namespace tessera::kernel

/// Elements of a tile in a circular buffer, for DPRINT. Data-movement kernels name side and
/// pointer; compute kernels read at the read pointer.
template <int kMaxElements = 64>
struct TileSliceOf : tessera::kernel::PrintedSlice {
    TileSliceOf(std::uint32_t cb_id, std::uint32_t tile_index, SliceRange elements,
                dprint_tslice_cb_t /*side*/, dprint_tslice_ptr_t place, bool endl_rows = true,
                bool /*untilized*/ = true)
        : PrintedSlice{cb_id, tile_index, elements, place, endl_rows} {}
    TileSliceOf(std::uint32_t cb_id, std::uint32_t tile_index, SliceRange elements,
                bool endl_rows = true, bool /*untilized*/ = true)
        : PrintedSlice{cb_id, tile_index, elements, TSLICE_RD_PTR, endl_rows} {}
};
using TileSlice = TileSliceOf<>;
#define TSLICE(...) TileSlice(__VA_ARGS__)

namespace tessera::kernel {

template <class... Values>
void device_print(PrintUnit unit, const char* format, const Values&... values);

/// Stream that DPRINT returns.
struct Printer {
    PrintUnit unit = PrintUnit::Whole;

    /// Prints as DEVICE_PRINT does; DPRINT is another name for it since mid-2026.
    template <class... Values>
    void operator()(const char* format, const Values&... values) const {
        device_print(unit, format, values...);
    }
    template <class T>
    const Printer& operator<<(const T& value) const {
        print_value(print_value_of(value), unit);
        return *this;
    }
    const Printer& operator<<(ENDL /*end*/) const { return *this << '\n'; }
    const Printer& operator<<(F32 value) const { return *this << value.value; }
    const Printer& operator<<(BF16 value) const {
        return *this << __builtin_bit_cast(float, std::uint32_t{value.bits} << 16U);
    }
    const Printer& operator<<(U32 value) const { return *this << value.value; }
    const Printer& operator<<(HEX /*mode*/) const { return with(PrintMode::Hexadecimal, 0); }
    const Printer& operator<<(DEC /*mode*/) const { return with(PrintMode::Decimal, 0); }
    const Printer& operator<<(OCT /*mode*/) const { return with(PrintMode::Octal, 0); }
    const Printer& operator<<(FIXED /*mode*/) const { return with(PrintMode::Fixed, 0); }
    const Printer& operator<<(DEFAULTFLOAT /*mode*/) const {
        return with(PrintMode::DefaultFloat, 0);
    }
    const Printer& operator<<(SETW mode) const {
        return with(mode.is_sticky ? PrintMode::StickyWidth : PrintMode::Width, mode.width);
    }
    const Printer& operator<<(SETPRECISION mode) const {
        return with(PrintMode::Precision, mode.digits);
    }

private:
    [[nodiscard]] const Printer& with(PrintMode mode, int value) const {
        print_mode(mode, value);
        return *this;
    }
};

/// Prints values into the {} of a format.
template <class... Values>
void device_print(PrintUnit unit, const char* format, const Values&... values) {
    const PrintValue list[] = {print_value_of(values)..., print_value_of(0)};
    print_format(format, list, sizeof...(Values), unit);
}

}  // namespace tessera::kernel

// One fiber runs the three parts of a compute kernel, so a print of one part prints once, and a
// plain DPRINT, which each part prints on the chip, prints once as well.
#define DPRINT                   \
    ::tessera::kernel::Printer { \
    }
#define TESSERA_PRINT_OF(part) ::tessera::kernel::PrintUnit::part
#ifdef COMPILE_FOR_TRISC
#define DPRINT_UNPACK(x) x
#define DPRINT_MATH(x) x
#define DPRINT_PACK(x) x
#define DEVICE_PRINT_UNPACK(...) \
    ::tessera::kernel::device_print(TESSERA_PRINT_OF(Unpack), __VA_ARGS__)
#define DEVICE_PRINT_MATH(...) ::tessera::kernel::device_print(TESSERA_PRINT_OF(Math), __VA_ARGS__)
#define DEVICE_PRINT_PACK(...) ::tessera::kernel::device_print(TESSERA_PRINT_OF(Pack), __VA_ARGS__)
#else
#define DPRINT_UNPACK(x)
#define DPRINT_MATH(x)
#define DPRINT_PACK(x)
#define DEVICE_PRINT_UNPACK(...) static_cast<void>(0)
#define DEVICE_PRINT_MATH(...) static_cast<void>(0)
#define DEVICE_PRINT_PACK(...) static_cast<void>(0)
#endif
#ifdef COMPILE_FOR_BRISC
#define DPRINT_DATA0(x) x
#define DEVICE_PRINT_DATA0(...) \
    ::tessera::kernel::device_print(TESSERA_PRINT_OF(Whole), __VA_ARGS__)
#else
#define DPRINT_DATA0(x)
#define DEVICE_PRINT_DATA0(...) static_cast<void>(0)
#endif
#ifdef COMPILE_FOR_NCRISC
#define DPRINT_DATA1(x) x
#define DEVICE_PRINT_DATA1(...) \
    ::tessera::kernel::device_print(TESSERA_PRINT_OF(Whole), __VA_ARGS__)
#else
#define DPRINT_DATA1(x)
#define DEVICE_PRINT_DATA1(...) static_cast<void>(0)
#endif
#define DEVICE_PRINT(...) ::tessera::kernel::device_print(TESSERA_PRINT_OF(Whole), __VA_ARGS__)
