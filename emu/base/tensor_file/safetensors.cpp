// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/safetensors.hpp"

#include <algorithm>

#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

// Longer lists would hide the message; the command line can list a file.
constexpr std::size_t kMaxNamesInMessage = 20;

std::string names_of(const std::vector<StoredTensor>& tensors) {
    std::string names;
    for (std::size_t i = 0; i < std::min(tensors.size(), kMaxNamesInMessage); ++i) {
        names += (i == 0 ? "" : ", ") + tensors[i].name;
    }
    if (tensors.size() > kMaxNamesInMessage) {
        names += fmt::format(", … ({} in all)", tensors.size());
    }
    return names.empty() ? "none" : names;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : path_(path.string()), file_(path) {
    SafetensorsHeader header = parse_safetensors_header(path_, file_.bytes());
    metadata_ = std::move(header.metadata);
    const auto payload = file_.bytes().subspan(header.data_offset);
    for (TensorEntry& entry : header.entries) {
        tensors_.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                            payload.subspan(entry.begin, entry.end - entry.begin),
                            std::move(entry.unreadable)});
    }
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(tensors_, name, &StoredTensor::name);
    return found == tensors_.end() ? nullptr : &*found;
}

const StoredTensor& SafetensorsFile::at(std::string_view name) const {
    const StoredTensor* found = find(name);
    require(found != nullptr, "{}: tensor {} is missing; the file has: {}", path_, name,
            names_of(tensors_));
    require(found->unreadable.empty(), "{}: tensor {}: {}", path_, name, found->unreadable);
    return *found;
}

HostTensor SafetensorsFile::read(std::string_view name) const {
    const StoredTensor& stored = at(name);
    const std::optional<DataFormat> format = format_of(stored.dtype);
    require_allowed(format.has_value(), fmt::format("{}: tensor {}", path_, name),
                    "dtype without a device format", name_of(stored.dtype),
                    "U8, F8_E4M3, F8_E5M2, U16, BF16, U32, I32, F32");
    return {stored.shape, *format, {stored.bytes.begin(), stored.bytes.end()}};
}

}  // namespace tessera
