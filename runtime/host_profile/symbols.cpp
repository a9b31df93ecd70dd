// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_profile/symbols.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tessera::host_profile {
namespace {

constexpr const char* kProgram = "/proc/self/exe";

std::vector<char> read_program() {
    std::ifstream file(kProgram, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T>
T at(const std::vector<char>& file, std::uint64_t offset) {
    T value{};
    if (offset + sizeof(T) <= file.size()) {
        std::memcpy(&value, file.data() + offset, sizeof(T));
    }
    return value;
}

ElfW(Shdr) section(const std::vector<char>& file, const ElfW(Ehdr) & header, std::uint64_t index) {
    return at<ElfW(Shdr)>(file, header.e_shoff + index * header.e_shentsize);
}

// The program comes first.
std::uint64_t base_of_program() {
    std::uint64_t base = 0;
    const auto take_first = [](dl_phdr_info* object, std::size_t, void* result) {
        *static_cast<std::uint64_t*>(result) = object->dlpi_addr;
        return 1;
    };
    dl_iterate_phdr(take_first, &base);
    return base;
}

}  // namespace

Symbols::Symbols() : base_(base_of_program()) {
    const std::vector<char> file = read_program();
    const auto header = at<ElfW(Ehdr)>(file, 0);
    for (std::uint64_t s = 0; s < header.e_shnum; ++s) {
        const auto table = section(file, header, s);
        if (table.sh_type != SHT_SYMTAB) {
            continue;
        }
        const auto names = section(file, header, table.sh_link);
        for (std::uint64_t i = 0; i < table.sh_size / sizeof(ElfW(Sym)); ++i) {
            const auto symbol = at<ElfW(Sym)>(file, table.sh_offset + i * sizeof(ElfW(Sym)));
            if ((symbol.st_info & 0xFU) == STT_FUNC && symbol.st_size != 0) {
                functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size,
                                      file.data() + names.sh_offset + symbol.st_name});
            }
        }
    }
    std::ranges::sort(functions_, {}, &Function::begin);
}

CodePlace Symbols::place_of(std::uint64_t address) const {
    const std::uint64_t offset = address - base_;
    auto it = std::ranges::upper_bound(functions_, offset, {}, &Function::begin);
    if (it != functions_.begin() && offset < (--it)->end) {
        return {it->name, ""};
    }
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(address), &found) == 0 ||
        reinterpret_cast<std::uint64_t>(found.dli_fbase) == base_) {
        return {};
    }
    return {"", found.dli_fname};
}

}  // namespace tessera::host_profile
