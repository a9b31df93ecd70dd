// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/source_line.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

/// Reader of a section's bytes. Past the end it returns zeros, so a truncated table gives no line
/// and no error.
/// Reads bytes of a section in order. Reads past the end give zeros: the caller is a handler of
/// faults and must survive a damaged file.
class SectionReader {
public:
    explicit SectionReader(std::string_view bytes) : left_(bytes) {}

    template <class Word>
    Word take() {
        Word word{};
        std::memcpy(&word, left_.data(), std::min(sizeof word, left_.size()));
        skip(sizeof word);
        return word;
    }
    std::uint64_t take_unsigned() {
        std::uint64_t value = 0;
        std::uint8_t byte = 0x80;
        for (unsigned shift = 0; shift < 64 && (byte & 0x80U) != 0; shift += 7) {
            byte = take<std::uint8_t>();
            value |= std::uint64_t{byte & 0x7FU} << shift;
        }
        return value;
    }
    std::int64_t take_signed() {
        std::int64_t value = 0;
        std::uint8_t byte = 0x80;
        unsigned shift = 0;
        for (; shift < 63 && (byte & 0x80U) != 0; shift += 7) {
            byte = take<std::uint8_t>();
            value |= static_cast<std::int64_t>(byte & 0x7FU) << shift;
        }
        return (byte & 0x40U) != 0 && shift < 63 ? value - (std::int64_t{1} << shift) : value;
    }
    std::string_view take_text() {
        const std::string_view text = left_.substr(0, left_.find('\0'));
        skip(text.size() + 1);
        return text;
    }
    std::string_view take_bytes(std::size_t count) {
        const std::string_view bytes = left_.substr(0, count);
        skip(count);
        return bytes;
    }
    void skip(std::size_t count) { left_.remove_prefix(std::min(count, left_.size())); }
    [[nodiscard]] bool is_at_end() const { return left_.empty(); }

private:
    std::string_view left_;
};

struct Row {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint32_t line = 1;
};

struct LineHeader {
    std::uint8_t instruction_size = 1;
    std::int8_t line_base = 0;
    std::uint8_t line_range = 1;
    std::uint8_t opcode_base = 1;
    std::string_view opcode_lengths;
    std::vector<std::string> files;  ///< numbered from 1
};

// Returns the path of a file from its folder; folder 0 is the compiler's working directory.
LineHeader read_header(SectionReader& unit) {
    LineHeader header;
    header.instruction_size = unit.take<std::uint8_t>();
    unit.skip(2);  // operations per instruction; whether lines begin statements
    header.line_base = unit.take<std::int8_t>();
    header.line_range = std::max<std::uint8_t>(unit.take<std::uint8_t>(), 1);
    header.opcode_base = std::max<std::uint8_t>(unit.take<std::uint8_t>(), 1);
    header.opcode_lengths = unit.take_bytes(header.opcode_base - std::size_t{1});
    std::vector<std::string_view> folders{""};
    for (auto name = unit.take_text(); !name.empty(); name = unit.take_text()) {
        folders.push_back(name);
    }
    for (auto name = unit.take_text(); !name.empty(); name = unit.take_text()) {
        const std::uint64_t folder = unit.take_unsigned();
        unit.take_unsigned();  // time of the last change
        unit.take_unsigned();  // length
        const bool is_below = folder != 0 && folder < folders.size() && name.front() != '/';
        header.files.push_back((is_below ? std::string(folders[folder]) + "/" : "") +
                               std::string(name));
    }
    return header;
}

/// Runs a unit's line program.
/// Source   DWARF 4, section 6.2.5.
class LineProgram {
public:
    LineProgram(LineHeader header, SectionReader program)
        : header_(std::move(header)), program_(program) {}

    /// Returns the rows of the sequence that holds `address`, in order; empty if none does.
    std::vector<Row> rows_around(std::uint64_t address) {
        while (!program_.is_at_end()) {
            step();
            if (is_ended_) {
                if (!rows_.empty() && rows_.front().address <= address &&
                    address < rows_.back().address) {
                    return std::move(rows_);
                }
                rows_.clear();
                row_ = {};
                is_ended_ = false;
            }
        }
        return {};
    }
    [[nodiscard]] const std::vector<std::string>& files() const { return header_.files; }

private:
    void step() {
        const auto opcode = program_.take<std::uint8_t>();
        if (opcode >= header_.opcode_base) {
            advance_special(opcode);
            row_.line =
                static_cast<std::uint32_t>(static_cast<int>(row_.line) + header_.line_base +
                                           (opcode - header_.opcode_base) % header_.line_range);
            rows_.push_back(row_);
        } else if (opcode == 0) {
            extended();
        } else {
            standard(opcode);
        }
    }
    void advance_special(std::uint8_t opcode) {
        const auto steps =
            static_cast<std::uint8_t>((opcode - header_.opcode_base) / header_.line_range);
        row_.address += std::uint64_t{steps} * header_.instruction_size;
    }
    void extended() {
        const std::uint64_t size = program_.take_unsigned();
        SectionReader operands(program_.take_bytes(size));
        switch (operands.take<std::uint8_t>()) {
            case 1:  // DW_LNE_end_sequence: the row is the first address behind the code
                rows_.push_back(row_);
                is_ended_ = true;
                return;
            case 2:  // DW_LNE_set_address
                row_.address = operands.take<std::uint64_t>();
                return;
            default:
                return;
        }
    }
    void standard(std::uint8_t opcode) {
        switch (opcode) {
            case 1:
                rows_.push_back(row_);
                return;
            case 2:
                row_.address += program_.take_unsigned() * header_.instruction_size;
                return;
            case 3:
                row_.line = static_cast<std::uint32_t>(row_.line + program_.take_signed());
                return;
            case 4:
                row_.file = program_.take_unsigned();
                return;
            case 8:  // DW_LNS_const_add_pc: the step of special opcode 255, without a row
                advance_special(255);
                return;
            case 9:  // DW_LNS_fixed_advance_pc: in bytes, whatever the size of an instruction
                row_.address += program_.take<std::uint16_t>();
                return;
            // The other opcodes change no address, file or line.
            default:  // columns and flags: skipped by their number of operands
                for (int i = 0; i < header_.opcode_lengths[opcode - std::size_t{1}]; ++i) {
                    program_.take_unsigned();
                }
        }
    }

    LineHeader header_;
    SectionReader program_;
    std::vector<Row> rows_;
    Row row_;
    bool is_ended_ = false;
};

std::string_view section_of(std::string_view file, std::string_view wanted) {
    SectionReader start(file);
    const auto elf = start.take<Elf64_Ehdr>();
    const auto section_at = [&](std::size_t index) {
        SectionReader at(file);
        at.skip(elf.e_shoff + index * sizeof(Elf64_Shdr));
        return at.take<Elf64_Shdr>();
    };
    const Elf64_Shdr names = section_at(elf.e_shstrndx);
    for (std::size_t i = 0; i < elf.e_shnum; ++i) {
        const Elf64_Shdr section = section_at(i);
        SectionReader name(file);
        name.skip(names.sh_offset + section.sh_name);
        if (name.take_text() == wanted && (section.sh_flags & SHF_COMPRESSED) == 0) {
            SectionReader bytes(file);
            bytes.skip(section.sh_offset);
            return bytes.take_bytes(section.sh_size);
        }
    }
    return {};
}

bool is_of(const std::string& file, const std::string& kernel) {
    return file == kernel || file.ends_with("/" + kernel);
}

// Prefers lines of the kernel, in which code of headers is inlined.
std::optional<CallSite> nearest(const std::vector<Row>& rows, std::uint64_t address,
                                const std::vector<std::string>& files, const std::string& kernel) {
    // A CallSite holds a pointer, so names of headers must outlive the launch: a set never moves
    // them.
    static std::mutex mutex;
    static std::set<std::string> names;
    const auto name_of = [&](const Row& row) {
        return row.file - 1 < files.size() ? files[row.file - 1] : std::string();
    };
    auto end = std::ranges::find_if(rows, [&](const Row& row) { return row.address > address; });
    const Row* found = nullptr;
    for (auto row = std::make_reverse_iterator(end); row != rows.rend(); ++row) {
        // Line 0 marks instructions that the compiler assigns to no source line.
        if (row->line == 0) {
            continue;
        }
        if (is_of(name_of(*row), kernel)) {
            return CallSite{kernel.c_str(), row->line};
        }
        found = found == nullptr ? &*row : found;
    }
    if (found == nullptr || name_of(*found).empty()) {
        return std::nullopt;
    }
    const std::scoped_lock lock(mutex);
    return CallSite{names.insert(name_of(*found)).first->c_str(), found->line};
}

}  // namespace

std::optional<CallSite> source_line_of(std::uint64_t code, const std::string& kernel) {
    Dl_info object{};
    void* map = nullptr;
    if (dladdr1(reinterpret_cast<const void*>(code), &object, &map, RTLD_DL_LINKMAP) == 0) {
        return std::nullopt;
    }
    std::ifstream stream(object.dli_fname, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(stream), {}};
    const std::uint64_t address = code - static_cast<const link_map*>(map)->l_addr;
    SectionReader table(section_of(file, ".debug_line"));
    while (!table.is_at_end()) {
        SectionReader unit(table.take_bytes(table.take<std::uint32_t>()));
        // Kernels are compiled with -gdwarf-4 (cmake/TesseraKernels.cmake). Units of other versions
        // come from libraries of the system and are skipped: their headers differ.
        if (unit.take<std::uint16_t>() != 4) {
            continue;
        }
        SectionReader header(unit.take_bytes(unit.take<std::uint32_t>()));
        LineProgram program(read_header(header), unit);
        if (const auto rows = program.rows_around(address); !rows.empty()) {
            return nearest(rows, address, program.files(), kernel);
        }
    }
    return std::nullopt;
}

}  // namespace tessera
