// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/shared_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::byte* map(std::byte* at, std::size_t bytes, int flags, int file, std::size_t offset) {
    void* memory = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
    require(memory != MAP_FAILED, "the host cannot map {} bytes of shared DRAM: {}", bytes,
            std::strerror(errno));
    return static_cast<std::byte*>(memory);
}

}  // namespace

SharedPages::SharedPages(std::size_t bytes)
    : file_(memfd_create("dram", MFD_CLOEXEC)), size_(bytes) {
    require(file_ >= 0 && ftruncate(file_, static_cast<off_t>(bytes)) == 0,
            "the host cannot allocate {} bytes of shared DRAM: {}", bytes, std::strerror(errno));
    bytes_ = map(nullptr, bytes, MAP_SHARED, file_, 0);
}

SharedPages::~SharedPages() {
    munmap(bytes_, size_);
    close(file_);
}

void SharedPages::show(std::size_t first, std::size_t count, std::byte* to) const {
    map(to, count, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file_, first);
}

std::size_t SharedPages::page_size() noexcept {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

void show_zeros(std::byte* begin, std::size_t count) {
    map(begin, count, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace tessera
