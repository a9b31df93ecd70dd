// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_file/safetensors_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

constexpr int kMaxTemporaryNames = 1000;

std::vector<TensorEntry> placed(const std::string& file,
                                std::span<const TensorDeclaration> tensors) {
    std::vector<TensorEntry> entries;
    for (const TensorDeclaration& tensor : tensors) {
        require(tensor.name != "__metadata__",
                "{}: a tensor is named __metadata__, which the format keeps for itself", file);
        entries.push_back({tensor.name, tensor.dtype, tensor.shape, 0, 0});
    }
    std::ranges::sort(entries, [](const TensorEntry& a, const TensorEntry& b) {
        return std::pair(element_bytes(b.dtype), std::string_view(a.name)) <
               std::pair(element_bytes(a.dtype), std::string_view(b.name));
    });
    std::uint64_t offset = 0;
    for (TensorEntry& entry : entries) {
        entry.begin = offset;
        offset += tensor_bytes(file, entry.name, entry.dtype, entry.shape);
        entry.end = offset;
    }
    return entries;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::filesystem::path path,
                                     std::span<const TensorDeclaration> tensors,
                                     const FileMetadata& metadata)
    : path_(std::move(path)) {
    std::vector<TensorEntry> entries = placed(path_.string(), tensors);
    const std::string header = format_safetensors_header(metadata, entries);
    data_offset_ = header.size();
    for (TensorEntry& entry : entries) {
        std::string name = entry.name;
        const bool is_new = tensors_.try_emplace(name, Progress{std::move(entry), 0}).second;
        require(is_new, "{}: tensor {} is declared twice; names are unique", path_.string(), name);
    }
    open_temporary();
    try {
        write_at(0, std::as_bytes(std::span(header)));
    } catch (...) {
        close_temporary();
        throw;
    }
}

SafetensorsWriter::~SafetensorsWriter() {
    close_temporary();
}

void SafetensorsWriter::open_temporary() {
    for (int n = 0; fd_ < 0 && n < kMaxTemporaryNames; ++n) {
        temporary_ = fmt::format("{}.partial-{}-{}", path_.string(), ::getpid(), n);
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        require(fd_ >= 0 || errno == EEXIST, "{}: cannot create {}: {}", path_.string(),
                temporary_.filename().string(), std::strerror(errno));
    }
    require(fd_ >= 0, "{}: all {} temporary names beside it are taken", path_.string(),
            kMaxTemporaryNames);
}

void SafetensorsWriter::close_temporary() {
    if (fd_ >= 0) {
        ::close(std::exchange(fd_, -1));
        ::unlink(temporary_.c_str());
    }
}

void SafetensorsWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ::ssize_t count =
            ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        require(count > 0, "{}: cannot write {} bytes at {}: {}", path_.string(), bytes.size(),
                offset, std::strerror(errno));
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
}

void SafetensorsWriter::append(std::string_view name, std::span<const std::byte> bytes) {
    const auto found = tensors_.find(name);
    require(found != tensors_.end(), "{}: tensor {} was not declared", path_.string(), name);
    Progress& tensor = found->second;
    const std::uint64_t size = tensor.entry.end - tensor.entry.begin;
    require(bytes.size() <= size - tensor.written,
            "{}: tensor {}: {} bytes more after {} exceed the {} of shape {} of {}", path_.string(),
            name, bytes.size(), tensor.written, size, to_string(tensor.entry.shape),
            name_of(tensor.entry.dtype));
    write_at(data_offset_ + tensor.entry.begin + tensor.written, bytes);
    tensor.written += bytes.size();
}

void SafetensorsWriter::finish() {
    ensure(fd_ >= 0, "SafetensorsWriter: {} is already finished", path_.string());
    for (const auto& [name, tensor] : tensors_) {
        const std::uint64_t size = tensor.entry.end - tensor.entry.begin;
        require(tensor.written == size, "{}: tensor {} got {} of its {} bytes", path_.string(),
                name, tensor.written, size);
    }
    const bool is_done =
        ::close(std::exchange(fd_, -1)) == 0 && ::rename(temporary_.c_str(), path_.c_str()) == 0;
    if (!is_done) {
        const int reason = errno;
        ::unlink(temporary_.c_str());
        throw UsageError(fmt::format("{}: cannot give {} this name: {}", path_.string(),
                                     temporary_.filename().string(), std::strerror(reason)));
    }
}

void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, const HostTensor*>& tensors,
                       const FileMetadata& metadata) {
    std::vector<TensorDeclaration> declarations;
    for (const auto& [name, tensor] : tensors) {
        declarations.push_back({name, dtype_of(tensor->format), tensor->shape});
    }
    SafetensorsWriter writer(path, declarations, metadata);
    for (const auto& [name, tensor] : tensors) {
        writer.append(name, tensor->bytes);
    }
    writer.finish();
}

}  // namespace tessera
