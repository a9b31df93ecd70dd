// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/checkpoint_values.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "emu/base/bf16.hpp"
#include "emu/base/mx_numbers.hpp"
#include "emu/base/nan_count.hpp"
#include "emu/base/tensor_file/dtype.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "runtime/pipeline/axis_parts.hpp"
#include "tessera/errors.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {
namespace {

// Sizes of blocks are those of DeepSeek's files (128 × 128) and of OCP's MX formats (32 elements).
constexpr std::uint32_t kScaleBlock = 128;        // rows and columns of a block with one fp8 scale
constexpr std::uint32_t kMxBlock = 32;            // columns of a block with one MXFP4 scale
constexpr std::uint32_t kMxBytes = kMxBlock / 2;  // two codes a byte, the even column low

std::uint32_t blocks_of(std::uint32_t extent, std::uint32_t block) {
    return (extent + block - 1) / block;
}

// Copied, since a stored tensor may begin at any byte of its file.
template <class T>
T load(const std::byte* bytes, std::size_t element) {
    T value;
    std::memcpy(&value, bytes + element * sizeof(T), sizeof(T));
    return value;
}

/// Converts an IEEE half. Subnormal halves are multiples of 2^-24.
float half_to_float(std::uint16_t bits) {
    // 5 bits of exponent with bias 15, 10 of mantissa.
    const std::uint32_t exponent = bits >> 10U & 0x1FU;
    const std::uint32_t mantissa = bits & 0x3FFU;
    const float sign = (bits & 0x8000U) != 0 ? -1.F : 1.F;
    if (exponent == 0) {
        return sign * std::ldexp(static_cast<float>(mantissa), -24);
    }
    if (exponent == 0x1F) {
        return sign * (mantissa == 0 ? INFINITY : NAN);
    }
    return sign *
           std::ldexp(1.F + static_cast<float>(mantissa) / 1024.F, static_cast<int>(exponent) - 15);
}

// Elements become float32, which has all of these formats exactly.
float element(const StoredTensor& tensor, std::size_t i) {
    const std::byte* bytes = tensor.bytes.data();
    switch (tensor.dtype) {
        case Dtype::BF16:
            return bf16_to_float(load<std::uint16_t>(bytes, i));
        case Dtype::F16:
            return half_to_float(load<std::uint16_t>(bytes, i));
        case Dtype::F8_E4M3:
            return tile::e4m3_to_float(load<std::uint8_t>(bytes, i));
        default:
            return load<float>(bytes, i);
    }
}

bool is_plain(Dtype dtype) {
    return dtype == Dtype::BF16 || dtype == Dtype::F16 || dtype == Dtype::F32;
}

/// Whether a tensor of that format takes stored codes as they are.
bool keeps_codes(DataFormat format) {
    return format == DataFormat::Fp8_e4m3 || format == DataFormat::UInt8;
}

/// Copies a stored (columns, rows) matrix by bands of rows, so that neither side misses the cache
/// at each element.
void transpose_into(const StoredTensor& tensor, std::size_t first, std::uint32_t columns,
                    std::span<float> out) {
    constexpr std::size_t kBand = 64;
    const std::size_t rows = out.size() / columns;
    for (std::size_t band = 0; band < rows; band += kBand) {
        for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t r = band; r < std::min(band + kBand, rows); ++r) {
                out[r * columns + c] = element(tensor, first + c * rows + r);
            }
        }
    }
}

/// Multiplies by scales: one for each block, each row, or all of a matrix.
void scale_matrix(const StoredTensor& scales, std::size_t first, std::uint32_t columns,
                  std::span<float> out) {
    const auto rows = static_cast<std::uint32_t>(out.size() / columns);
    // Shapes distinguish the kinds of scales; files do not name them.
    const bool is_blocked = scales.shape.size() >= 2 &&
                            scales.shape.back() == blocks_of(columns, kScaleBlock) &&
                            scales.shape[scales.shape.size() - 2] == blocks_of(rows, kScaleBlock);
    const bool is_by_row = !is_blocked && num_elements(scales.shape) % rows == 0 && rows > 1;
    for (std::uint32_t r = 0; r < rows; ++r) {
        for (std::uint32_t c = 0; c < columns; ++c) {
            const std::size_t at =
                is_blocked ? std::size_t{r / kScaleBlock} * blocks_of(columns, kScaleBlock) +
                                 c / kScaleBlock
                : is_by_row ? r
                            : 0;
            out[std::size_t{r} * columns + c] *= element(scales, first + at);
        }
    }
}

void read_mxfp4(const StoredTensor& codes, const StoredTensor& scales, std::size_t first,
                std::span<float> out) {
    for (std::size_t block = 0; block < out.size() / kMxBlock; ++block) {
        // A power of two: each product with a code is exact.
        const float scale = e8m0_to_float(load<std::uint8_t>(scales.bytes.data(), first + block));
        for (std::size_t i = 0; i < kMxBytes; ++i) {
            const auto byte =
                load<std::uint8_t>(codes.bytes.data(), (first + block) * kMxBytes + i);
            out[block * kMxBlock + 2 * i] = e2m1_to_float(byte) * scale;
            out[block * kMxBlock + 2 * i + 1] = e2m1_to_float(byte >> 4U) * scale;
        }
    }
}

}  // namespace

CheckpointValues::CheckpointValues(const Checkpoint& files, const PipelineTensor& tensor)
    : files_(files), tensor_(tensor) {
    const Shape& shape = tensor.spec.shape;
    const auto parts = static_cast<std::uint32_t>(tensor.origin.tensors.size());
    // A tensor of one axis is a bias, of two a matrix, of three the matrices of experts.
    const DataFormat format = tensor.spec.format;
    require(shape.size() <= 3 && !tensor.origin.tensors.empty() &&
                (format == DataFormat::Float16_b || format == DataFormat::Float32 ||
                 (keeps_codes(format) && !tensor.origin.transposed)),
            "tensors.{}.origin: is {} {} of {} stored tensors; allowed: up to three axes of "
            "bfloat16 or float32, or of fp8_e4m3 or uint8 without `transposed`, and at least one "
            "name",
            tensor.name, to_string(shape), name_of(tensor.spec.format), parts);
    count_ = shape.size() == 3 ? shape[0] : 1;
    columns_ = shape.back();
    const std::uint32_t rows = shape.size() == 1 ? 1 : shape[shape.size() - 2];
    // Stored matrices are put below each other, such as gate and up.
    require(rows % parts == 0, "tensors.{}.origin: {} stored tensors do not divide {} rows",
            tensor.name, parts, rows);
    rows_ = rows / parts;
    for (const std::string& pattern : tensor.origin.tensors) {
        parts_.push_back(find_part(pattern));
    }
}

CheckpointValues::Part CheckpointValues::find_part(const std::string& pattern) const {
    Part part;
    const std::size_t star = pattern.find('*');
    if (star == std::string::npos) {
        add_matrix(pattern, part);
        return part;
    }
    // One stored matrix for each expert, as in "experts.3.w1".
    for (std::uint32_t index = 0; index < count_; ++index) {
        std::string name = pattern;
        add_matrix(name.replace(star, 1, std::to_string(index)), part);
    }
    return part;
}

void CheckpointValues::add_matrix(const std::string& name, Part& part) const {
    CheckpointEntry entry = files_.find(name);
    CheckpointEntry scales;
    if (keeps_codes(tensor_.spec.format)) {
        part.coding = Coding::Kept;
        entry = files_.at(name);
        check_kept(entry);
        part.matrices.push_back(entry);
        return;
    }
    // gpt-oss's files have codes and scales under these names, and no tensor of the name itself.
    if (entry.tensor == nullptr && files_.find(name + "_blocks").tensor != nullptr) {
        part.coding = Coding::Mxfp4;
        entry = files_.at(name + "_blocks");
        scales = files_.at(name + "_scales");
    } else {
        entry = files_.at(name);
        if (entry.tensor->dtype == Dtype::F8_E4M3) {
            part.coding = Coding::Fp8;
            // DeepSeek's files name the factor of codes "_scale_inv"; other files name it "_scale".
            scales = files_.find(name + "_scale_inv");
            scales = scales.tensor == nullptr ? files_.at(name + "_scale") : scales;
        }
    }
    part.matrices.push_back(entry);
    // Checked here, so that a wrong shape is found before the first kernel runs.
    check_matrix(entry, part);
    if (scales.tensor != nullptr) {
        part.scales.push_back(scales);
        check_scales(scales, part);
    }
}

/// Shape of one stored tensor: a stack if the origin names one tensor for several indices.
Shape CheckpointValues::stored_shape(const Part& part) const {
    Shape shape;
    const bool is_stack = part.matrices.size() == 1 && count_ > 1 &&
                          tensor_.origin.tensors.front().find('*') == std::string::npos;
    if (is_stack) {
        shape.push_back(count_);
    }
    if (part.coding == Coding::Mxfp4) {
        shape.insert(shape.end(), {rows_, blocks_of(columns_, kMxBlock), kMxBytes});
    } else if (tensor_.spec.shape.size() == 1) {
        shape.push_back(columns_);
    } else if (tensor_.origin.transposed) {
        shape.insert(shape.end(), {columns_, rows_});
    } else {
        shape.insert(shape.end(), {rows_, columns_});
    }
    return shape;
}

void CheckpointValues::check_matrix(const CheckpointEntry& entry, const Part& part) const {
    const StoredTensor& found = *entry.tensor;
    const bool is_known = part.coding == Coding::Mxfp4 ? found.dtype == Dtype::U8
                          : part.coding == Coding::Fp8 ? true
                                                       : is_plain(found.dtype);
    require(is_known, "{}: {}: dtype {}, allowed: {}", entry.file, found.name,
            tessera::name_of(found.dtype),
            part.coding == Coding::Mxfp4 ? "U8" : "BF16, F16, F32, F8_E4M3");
    const Shape expected = stored_shape(part);
    require(found.shape == expected, "{}: {}: shape {}, allowed: {}", entry.file, found.name,
            to_string(found.shape), to_string(expected));
}

void CheckpointValues::check_kept(const CheckpointEntry& entry) const {
    const StoredTensor& found = *entry.tensor;
    const bool is_packed = tensor_.spec.format == DataFormat::UInt8;
    const Dtype dtype = is_packed ? Dtype::U8 : Dtype::F8_E4M3;
    require(found.dtype == dtype, "{}: {}: dtype {}, allowed: {}, as the tensor {} keeps codes",
            entry.file, found.name, tessera::name_of(found.dtype), tessera::name_of(dtype),
            tensor_.name);
    Shape shape = found.shape;
    // gpt-oss's files have an axis for the bytes of a block.
    if (is_packed && shape.size() > 2 && shape.back() == kMxBytes) {
        shape.pop_back();
        shape.back() *= kMxBytes;
    }
    const Shape expected =
        stored_shape({.matrices = {entry}, .scales = {}, .coding = Coding::Kept});
    require(shape == expected, "{}: {}: shape {}, allowed: {}", entry.file, found.name,
            to_string(found.shape), to_string(expected));
}

void CheckpointValues::check_scales(const CheckpointEntry& entry, const Part& part) const {
    const StoredTensor& found = *entry.tensor;
    Shape one = stored_shape(part);
    // A scale has no axis of its own for the bytes of its block.
    if (part.coding == Coding::Mxfp4) {
        one.pop_back();
        require(found.dtype == Dtype::U8 && found.shape == one, "{}: {}: {} {}, allowed: U8 {}",
                entry.file, found.name, tessera::name_of(found.dtype), to_string(found.shape),
                to_string(one));
        return;
    }
    const std::size_t stacks = one.size() > 2 ? count_ : 1;
    const std::size_t scales = num_elements(found.shape) / stacks;
    const std::size_t blocks =
        std::size_t{blocks_of(rows_, kScaleBlock)} * blocks_of(columns_, kScaleBlock);
    // Scales are stored for rows and columns of the stored matrix, so a transposed matrix cannot
    // have them.
    require(is_plain(found.dtype) && num_elements(found.shape) % stacks == 0 &&
                (scales == blocks || scales == rows_ || scales == 1) && !tensor_.origin.transposed,
            "{}: {}: {} {}, allowed: F32 or BF16 with {} scales of 128 × 128 blocks, {} of rows, "
            "or 1",
            entry.file, found.name, tessera::name_of(found.dtype), to_string(found.shape), blocks,
            rows_);
}

void CheckpointValues::read_matrix(const Part& part, std::uint32_t index,
                                   std::span<float> out) const {
    const bool is_stack = part.matrices.size() == 1;
    const StoredTensor& stored = *part.matrices[is_stack ? 0 : index].tensor;
    // One stack has all indices; several matrices have one each.
    const std::size_t place = is_stack ? index : 0;
    if (part.coding == Coding::Mxfp4) {
        read_mxfp4(stored, *part.scales[is_stack ? 0 : index].tensor, place * out.size() / kMxBlock,
                   out);
        return;
    }
    if (tensor_.origin.transposed) {
        transpose_into(stored, place * out.size(), columns_, out);
    } else {
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = element(stored, place * out.size() + i);
        }
    }
    if (part.coding == Coding::Fp8) {
        const StoredTensor& scales = *part.scales[is_stack ? 0 : index].tensor;
        const std::size_t each =
            num_elements(scales.shape) / (is_stack && stored.shape.size() > 2 ? count_ : 1);
        scale_matrix(scales, place * each, columns_, out);
    }
}

void CheckpointValues::copy_codes(const Part& part, std::uint32_t index,
                                  std::span<std::byte> out) const {
    const bool is_stack = part.matrices.size() == 1;
    const StoredTensor& stored = *part.matrices[is_stack ? 0 : index].tensor;
    const std::size_t first = is_stack ? index * out.size() : 0;
    std::memcpy(out.data(), stored.bytes.data() + first, out.size());
}

void CheckpointValues::write_slice(std::uint32_t index, std::span<std::byte> out) const {
    if (keeps_codes(tensor_.spec.format)) {
        const std::size_t bytes = std::size_t{rows_} * columns_;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            copy_codes(parts_[i], index, out.subspan(i * bytes, bytes));
        }
        return;
    }
    // One matrix at a time in float32: a whole tensor of experts would take twice its bytes.
    std::vector<float> values(std::size_t{rows_} * columns_);
    const bool is_float = tensor_.spec.format == DataFormat::Float32;
    const std::size_t element_size = is_float ? sizeof(float) : sizeof(std::uint16_t);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        read_matrix(parts_[i], index, values);
        std::byte* to = out.data() + i * values.size() * element_size;
        if (is_float) {
            std::memcpy(to, values.data(), values.size() * sizeof(float));
            continue;
        }
        for (std::size_t at = 0; at < values.size(); ++at) {
            const std::uint16_t bits = float_to_bf16(values[at]);
            std::memcpy(to + at * sizeof(bits), &bits, sizeof(bits));
        }
    }
}

HostTensor CheckpointValues::slices(std::span<const std::uint32_t> indices) const {
    Shape shape = tensor_.spec.shape;
    if (shape.size() == 3) {
        shape[0] = static_cast<std::uint32_t>(indices.size());
    }
    HostTensor part = make_host_tensor(shape, tensor_.spec.format);
    const std::size_t each = part.bytes.size() / std::max<std::size_t>(indices.size(), 1);
    // Slices are independent, so that each is converted by its own thread.
    tbb::parallel_for(std::size_t{0}, indices.size(), [&](std::size_t i) {
        if (indices[i] != kPadding) {
            write_slice(indices[i], std::span(part.bytes).subspan(i * each, each));
        }
    });
    return part;
}

HostTensor CheckpointValues::all() const {
    std::vector<std::uint32_t> indices(count_);
    std::iota(indices.begin(), indices.end(), 0U);
    return slices(indices);
}

report::NanNote CheckpointValues::nans() const {
    report::NanNote note{.tensor = tensor_.name};
    const auto add = [&](const std::vector<CheckpointEntry>& entries) {
        for (const CheckpointEntry& entry : entries) {
            const StoredTensor& stored = *entry.tensor;
            const NanCount found =
                count_nan(format_of(stored.dtype).value_or(DataFormat::UInt8), stored.bytes);
            if (found.count != 0 && note.count == 0) {
                note.first =
                    fmt::format("{} of {}", position_in(stored.shape, found.first), stored.name);
            }
            note.count += found.count;
            note.num_elements += num_elements(stored.shape);
        }
    };
    for (const Part& part : parts_) {
        add(part.matrices);
        add(part.scales);
    }
    return note;
}

}  // namespace tessera::pipeline
