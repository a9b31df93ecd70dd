// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/print.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <array>

#include "emu/base/print_sink.hpp"
#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/unpack.hpp"

namespace tessera {
namespace {

using kernel::PrintedSlice;
using kernel::PrintMode;
using kernel::PrintUnit;
using kernel::PrintValue;

const char* name_of(PrintUnit unit) {
    switch (unit) {
        case PrintUnit::Unpack:
            return " unpack";
        case PrintUnit::Math:
            return " math";
        case PrintUnit::Pack:
            return " pack";
        case PrintUnit::Whole:
            break;
    }
    return "";
}

void end_line(KernelThread& thread) {
    PrintedLine& line = thread.printed;
    print_line(fmt::format("device {} core {} {}{}: {}", thread.activity.device,
                           to_string(thread.core().logical()), role_of(thread.processor()),
                           line.unit, line.text));
    line.text.clear();
    line.unit.clear();
}

void append(KernelThread& thread, std::string_view text, PrintUnit unit) {
    for (const char c : text) {
        if (c == '\n') {
            end_line(thread);
            continue;
        }
        if (thread.printed.text.empty()) {
            thread.printed.unit = name_of(unit);
        }
        thread.printed.text += c;
    }
}

std::string float_text(const PrintedLine& line, double number) {
    if (line.precision >= 0) {
        return line.is_fixed ? fmt::format("{:.{}f}", number, line.precision)
                             : fmt::format("{:.{}g}", number, line.precision);
    }
    return line.is_fixed ? fmt::format("{:f}", number)
                         : fmt::format("{}", static_cast<float>(number));
}

template <class Integer>
std::string integer_text(const PrintedLine& line, Integer number) {
    switch (line.base) {
        case 'x':
            return fmt::format("{:x}", number);
        case 'o':
            return fmt::format("{:o}", number);
        default:
            return fmt::format("{}", number);
    }
}

float element(const std::array<float, kTileElements>& values, DataFormat format, std::uint32_t row,
              std::uint32_t column) {
    const float slot = values[tile_offset(row, column)];
    if (!tile::is_integer_format(format)) {
        return slot;
    }
    return static_cast<float>(__builtin_bit_cast(std::int32_t, slot));
}

std::string slice_text(KernelThread& thread, const PrintedSlice& slice) {
    if (slice.cb >= kMaxCircularBuffers || thread.core().circular_buffers[slice.cb].size == 0) {
        return fmt::format("<circular buffer {} is not configured>", slice.cb);
    }
    const LocalCBInterface& view = thread.cb[slice.cb];
    const DataFormat format = thread.core().circular_buffers[slice.cb].format;
    const std::uint32_t begin =
        (slice.pointer == TSLICE_RD_PTR ? view.fifo_rd_ptr : view.fifo_wr_ptr) +
        slice.tile * view.fifo_page_size;
    if (std::uint64_t{begin} + tile_bytes(format) > thread.core().arch().l1.size.value ||
        tile_bytes(format) == 0) {
        return "<tile outside of L1>";
    }
    std::array<float, kTileElements> values{};
    tile::unpack_tile(format, thread.core().l1(begin), values.data());
    std::string text;
    const auto step = [](std::uint8_t stride) { return std::uint32_t{stride == 0 ? 1U : stride}; };
    for (std::uint32_t row = slice.range.h0; row < slice.range.h1; row += step(slice.range.hs)) {
        for (std::uint32_t column = slice.range.w0; column < slice.range.w1;
             column += step(slice.range.ws)) {
            text +=
                fmt::format("{} ", element(values, format, row % kTileRows, column % kTileColumns));
        }
        text += slice.ends_rows ? "\n" : "";
    }
    return text;
}

std::string text_of(KernelThread& thread, const PrintValue& value) {
    const PrintedLine& line = thread.printed;
    switch (value.kind) {
        case PrintValue::Kind::Signed:
            return integer_text(line, static_cast<std::int64_t>(value.word));
        case PrintValue::Kind::Unsigned:
            return integer_text(line, value.word);
        case PrintValue::Kind::Float:
            return float_text(line, value.number);
        case PrintValue::Kind::Text:
            return value.text;
        case PrintValue::Kind::Character:
            return std::string(1, static_cast<char>(value.word));
        case PrintValue::Kind::Slice:
            return slice_text(thread, *value.slice);
    }
    return "";
}

bool is_number(const PrintValue& value) {
    return value.kind == PrintValue::Kind::Signed || value.kind == PrintValue::Kind::Unsigned ||
           value.kind == PrintValue::Kind::Float;
}

void add_argument(KernelThread& thread, const PrintValue& value,
                  fmt::dynamic_format_arg_store<fmt::format_context>& arguments) {
    switch (value.kind) {
        case PrintValue::Kind::Signed:
            return arguments.push_back(static_cast<std::int64_t>(value.word));
        case PrintValue::Kind::Unsigned:
            return arguments.push_back(value.word);
        case PrintValue::Kind::Float:
            return arguments.push_back(static_cast<float>(value.number));
        default:
            return arguments.push_back(text_of(thread, value));
    }
}

}  // namespace

namespace kernel {

void print_value(const PrintValue& value, PrintUnit unit) {
    if (!prints_are_on()) {
        return;
    }
    KernelThread& thread = current_thread();
    PrintedLine& line = thread.printed;
    std::string text = text_of(thread, value);
    if (is_number(value) && line.width != 0) {
        text = fmt::format("{:>{}}", text, line.width);
        line.width = line.keeps_width ? line.width : 0;
    }
    append(thread, text, unit);
}

void print_mode(PrintMode mode, int value) {
    PrintedLine& line = current_thread().printed;
    switch (mode) {
        case PrintMode::Decimal:
            line.base = 'd';
            return;
        case PrintMode::Hexadecimal:
            line.base = 'x';
            return;
        case PrintMode::Octal:
            line.base = 'o';
            return;
        case PrintMode::Fixed:
            line.is_fixed = true;
            return;
        case PrintMode::DefaultFloat:
            line.is_fixed = false;
            return;
        case PrintMode::Precision:
            line.precision = value;
            return;
        case PrintMode::Width:
        case PrintMode::StickyWidth:
            line.width = value;
            line.keeps_width = mode == PrintMode::StickyWidth;
            return;
    }
}

void print_format(const char* format, const PrintValue* values, std::uint32_t count,
                  PrintUnit unit) {
    if (!prints_are_on()) {
        return;
    }
    KernelThread& thread = current_thread();
    fmt::dynamic_format_arg_store<fmt::format_context> arguments;
    for (std::uint32_t i = 0; i < count; ++i) {
        add_argument(thread, values[i], arguments);
    }
    std::string text;
    try {
        text = fmt::vformat(format, arguments);
    } catch (const fmt::format_error& error) {
        text = fmt::format("{} <{}>\n", format, error.what());
    }
    append(thread, text, unit);
}

}  // namespace kernel

void end_printed_line(KernelThread& thread) {
    if (!thread.printed.text.empty()) {
        end_line(thread);
    }
}

}  // namespace tessera
