// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/safetensors_writer.hpp"

#include <algorithm>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::vector<TensorEntry> placed(const std::string& file,
                                std::span<const TensorDeclaration> tensors) {
    std::vector<TensorEntry> entries;
    for (const TensorDeclaration& tensor : tensors) {
        require(tensor.name != "__metadata__",
                "{}: a tensor is named __metadata__, which the format keeps for itself", file);
        entries.push_back({tensor.name, tensor.dtype, tensor.shape, 0, 0});
    }
    std::ranges::sort(entries, [](const TensorEntry& a, const TensorEntry& b) {
        return std::pair(element_bits(b.dtype), std::string_view(a.name)) <
               std::pair(element_bits(a.dtype), std::string_view(b.name));
    });
    std::uint64_t offset = 0;
    for (TensorEntry& entry : entries) {
        entry.begin = offset;
        offset +=
            tensor_bytes(file, entry.name, entry.dtype, {entry.shape.begin(), entry.shape.end()});
        entry.end = offset;
    }
    return entries;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::filesystem::path path,
                                     std::span<const TensorDeclaration> tensors,
                                     const FileMetadata& metadata)
    : file_(std::move(path)) {
    std::vector<TensorEntry> entries = placed(file_.path().string(), tensors);
    const std::string header = format_safetensors_header(metadata, entries);
    data_offset_ = header.size();
    for (TensorEntry& entry : entries) {
        std::string name = entry.name;
        const bool is_new = tensors_.try_emplace(name, Progress{std::move(entry), 0}).second;
        require(is_new, "{}: tensor {} is declared twice; names are unique", file_.path().string(),
                name);
    }
    file_.write_at(0, std::as_bytes(std::span(header)));
}

void SafetensorsWriter::append(std::string_view name, std::span<const std::byte> bytes) {
    const auto found = tensors_.find(name);
    require(found != tensors_.end(), "{}: tensor {} was not declared", file_.path().string(), name);
    Progress& tensor = found->second;
    const std::uint64_t size = tensor.entry.end - tensor.entry.begin;
    require(bytes.size() <= size - tensor.written,
            "{}: tensor {}: {} bytes more after {} exceed the {} of shape {} of {}",
            file_.path().string(), name, bytes.size(), tensor.written, size,
            to_string(tensor.entry.shape), name_of(tensor.entry.dtype));
    file_.write_at(data_offset_ + tensor.entry.begin + tensor.written, bytes);
    tensor.written += bytes.size();
}

void SafetensorsWriter::finish() {
    for (const auto& [name, tensor] : tensors_) {
        const std::uint64_t size = tensor.entry.end - tensor.entry.begin;
        require(tensor.written == size, "{}: tensor {} got {} of its {} bytes",
                file_.path().string(), name, tensor.written, size);
    }
    file_.finish();
}

void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, const HostTensor*>& tensors,
                       const FileMetadata& metadata) {
    std::vector<TensorDeclaration> declarations;
    declarations.reserve(tensors.size());
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
