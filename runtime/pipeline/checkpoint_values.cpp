// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/checkpoint_values.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "emu/base/bf16.hpp"
#include "emu/base/nan_count.hpp"
#include "emu/base/tensor_file/dtype.hpp"
#include "runtime/pipeline/axis_parts.hpp"
#include "runtime/pipeline/checkpoint_numbers.hpp"
#include "runtime/pipeline/stored_numbers.hpp"
#include "tessera/errors.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {
namespace {

/// Whether a tensor of that format takes stored codes as they are.
bool keeps_codes(DataFormat format) {
    return format == DataFormat::Fp8_e4m3 || format == DataFormat::UInt8;
}

}  // namespace

CheckpointValues::CheckpointValues(const Checkpoint& files, const PipelineTensor& tensor)
    : files_(files), tensor_(tensor) {
    if (takes_numbers(tensor)) {
        numbers_ = read_numbers(files, tensor);
        return;
    }
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
    require(rows % parts == 0,
            "tensors.{}.origin: {} stored tensors; allowed: a divisor of {} rows", tensor.name,
            parts, rows);
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
    if (add_nvfp4(name, part)) {
        return;
    }
    // gpt-oss's files have codes and scales under these names, and no tensor of the name itself.
    if (entry.tensor == nullptr && files_.find(name + "_blocks").tensor != nullptr) {
        part.coding = Coding::Mxfp4;
        entry = files_.at(name + "_blocks");
        scales = files_.at(name + "_scales");
    } else {
        entry = files_.at(name);
        if (entry.tensor->dtype == Dtype::F8_E4M3 || entry.tensor->dtype == Dtype::I8) {
            part.coding = Coding::Scaled;
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

bool CheckpointValues::add_nvfp4(const std::string& name, Part& part) const {
    // modelopt's files have a factor of the matrix; those of compressed-tensors have a divisor.
    const CheckpointEntry factor = files_.find(name + "_scale_2");
    const bool is_packed = factor.tensor == nullptr;
    const CheckpointEntry divisor =
        is_packed ? files_.find(name + "_global_scale") : CheckpointEntry{};
    if (is_packed && divisor.tensor == nullptr) {
        return false;
    }
    part.coding = Coding::Nvfp4;
    part.matrices.push_back(files_.at(is_packed ? name + "_packed" : name));
    part.scales.push_back(files_.at(name + "_scale"));
    check_matrix(part.matrices.back(), part);
    check_scales(part.scales.back(), part);
    part.factors.push_back(read_number(is_packed ? divisor : factor, is_packed));
    return true;
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
    } else if (part.coding == Coding::Nvfp4) {
        shape.insert(shape.end(), {rows_, columns_ / 2});
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
    const bool is_e2m1 = part.coding == Coding::Mxfp4 || part.coding == Coding::Nvfp4;
    const bool is_known = is_e2m1                         ? found.dtype == Dtype::U8
                          : part.coding == Coding::Scaled ? true
                                                          : is_plain(found.dtype);
    require(is_known, "{}: {}: dtype {}, allowed: {}", entry.file, found.name,
            tessera::name_of(found.dtype), is_e2m1 ? "U8" : "BF16, F16, F32, F8_E4M3, I8");
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
    if (part.coding == Coding::Nvfp4) {
        one.back() = columns_ / kNvBlock;
        require(found.dtype == Dtype::F8_E4M3 && found.shape == one && columns_ % kNvBlock == 0,
                "{}: {}: {} {}, allowed: F8_E4M3 {}, one for {} of {} columns", entry.file,
                found.name, tessera::name_of(found.dtype), to_string(found.shape), to_string(one),
                kNvBlock, columns_);
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
    if (part.coding == Coding::Nvfp4) {
        const std::size_t at = is_stack ? 0 : index;
        read_nvfp4(stored, *part.scales[at].tensor, part.factors[at], place * out.size() / kNvBlock,
                   out);
        return;
    }
    if (tensor_.origin.transposed) {
        transpose_into(stored, place * out.size(), columns_, out);
    } else {
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = number_at(stored, place * out.size() + i);
        }
    }
    if (part.coding == Coding::Scaled) {
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
    if (numbers_) {
        return *numbers_;
    }
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
    if (numbers_) {
        const NanCount found = count_nan(DataFormat::Float32, numbers_->bytes);
        note.count = found.count;
        note.num_elements = num_elements(numbers_->shape);
        note.first = found.count == 0 ? "" : position_in(numbers_->shape, found.first);
    }
    for (const Part& part : parts_) {
        add(part.matrices);
        add(part.scales);
    }
    return note;
}

}  // namespace tessera::pipeline
