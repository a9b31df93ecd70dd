// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/mapped_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "emu/base/input_file.hpp"
#include "tessera/errors.hpp"

namespace tessera {

MappedFile::MappedFile(const std::filesystem::path& path) {
    const InputFile file(path, Pipes::Refused);
    const auto size = static_cast<std::size_t>(file.size());
    if (size == 0) {
        return;
    }
    // The mapping outlives the descriptor.
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    require(start != MAP_FAILED, "{}: cannot map {} bytes: {}", path.string(), size,
            std::strerror(errno));
    bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) {
        ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

}  // namespace tessera
