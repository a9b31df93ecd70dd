// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/tensor_values.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <set>

#include "emu/base/counted_random.hpp"
#include "emu/base/fields/nearest.hpp"
#include "emu/base/nan_count.hpp"
#include "emu/base/random_tensor.hpp"
#include "emu/base/tensor_file/dtype.hpp"
#include "runtime/config/load_tree.hpp"
#include "runtime/config/pipeline_file.hpp"
#include "runtime/pipeline/axis_parts.hpp"
#include "runtime/pipeline/origin_values.hpp"
#include "runtime/pipeline/raw_pages.hpp"
#include "runtime/pipeline/stored_dtypes.hpp"
#include "runtime/session/page_codec.hpp"
#include "tessera/errors.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {
namespace {

/// Returns whether values are random: a file of inputs must provide these.
bool is_drawn(OriginKind kind) {
    return kind == OriginKind::Normal || kind == OriginKind::Routing ||
           kind == OriginKind::RoutingWeights || kind == OriginKind::RoutingLogits ||
           kind == OriginKind::ExpertMapping || kind == OriginKind::ExpertMap;
}

/// Returns whether a run reads the tensor: as an operand, as a part of a join, or as the mapping of
/// a split or of places. A run file may describe tensors that have no reader because of `when`
/// conditions.
bool is_used(const PipelineSpec& pipeline, const std::string& name) {
    const bool is_operand = std::ranges::any_of(pipeline.steps, [&](const PipelineStep& step) {
        return std::ranges::find(step.inputs, name) != step.inputs.end();
    });
    return is_operand || std::ranges::any_of(pipeline.tensors, [&](const PipelineTensor& tensor) {
               const auto& parts = tensor.origin.parts;
               return tensor.split_by == name || tensor.origin.map == name ||
                      std::ranges::find(parts, name) != parts.end();
           });
}

/// Returns the tensor's name in a file, with ${device} for the device's number.
const std::string& name_in_files(const PipelineTensor& tensor) {
    return tensor.stored_as.empty() ? tensor.name : tensor.stored_as;
}

/// Returns whether one name is a typing error of the other: one letter differs, or two in a name of
/// at least 10 letters. Digits are ignored: layers.1 and layers.2 are two tensors.
bool is_typing_error(const std::string& name, const std::string& other) {
    constexpr std::size_t kShort = 4;
    constexpr std::size_t kLong = 10;
    const auto without_digits = [](std::string text) {
        std::erase_if(text, [](char letter) { return letter >= '0' && letter <= '9'; });
        return text;
    };
    const std::string letters = without_digits(name);
    const std::size_t slips = config::edit_distance(letters, without_digits(other));
    return slips != 0 && slips <= (letters.size() >= kLong    ? 2U
                                   : letters.size() >= kShort ? 1U
                                                              : 0U);
}

/// Returns the number of different tensors over all devices: one, unless each device has its own.
std::uint32_t num_own(const PipelineTensor& tensor, std::uint32_t devices) {
    return tensor.distribution == Distribution::Each ? devices : 1;
}

// Reports a missing file at the line of its tensor: the path alone does not say which tensor of the
// run file needs it.
template <class Open>
auto opened(const PipelineTensor& tensor, std::string_view key, const Open& open) {
    try {
        return open();
    } catch (const UsageError& error) {
        throw ConfigError(fmt::format("{}: tensors.{}.origin.{}: {}", to_string(tensor.place),
                                      tensor.name, key, error.what()));
    }
}

}  // namespace

std::vector<config::Override> params_of(const InputFile& inputs,
                                        const std::filesystem::path& run_file,
                                        config::ConfigFolders folders,
                                        std::span<const config::Override> sets) {
    // Without a file, params keep the values of the run file.
    if (inputs == nullptr) {
        return {};
    }
    std::vector<config::NamedShape> shapes;
    for (const StoredTensor& tensor : inputs->tensors()) {
        if (tensor.unreadable.empty()) {
            shapes.push_back({tensor.name, shape_in_run(tensor)});
        }
    }
    // Overrides come first: names of tensors in a file may contain params, and may be overridden.
    config::Node root = config::read_run(run_file, folders);
    for (const config::Override& set : sets) {
        if (set.path.starts_with("params.") || set.path.ends_with(".stored_as")) {
            config::apply(set, root);
        }
    }
    return config::params_of_shapes(root, shapes, inputs->path());
}

TensorValues::TensorValues(const PipelineSpec& pipeline, std::uint32_t devices, InputFile inputs,
                           InputFile state)
    : pipeline_(pipeline), devices_(devices), inputs_(std::move(inputs)), state_(std::move(state)) {
    for (const PipelineTensor& tensor : pipeline_.tensors) {
        open_origin(tensor);
        if (is_used(pipeline_, tensor.name)) {
            open_checkpoint(tensor);
            check_stored(tensor);
        }
    }
    if (inputs_ != nullptr) {
        check_names();
    }
}

void TensorValues::open_origin(const PipelineTensor& tensor) {
    if (tensor.origin.kind != OriginKind::File) {
        return;
    }
    // A file that several tensors name is opened once.
    InputFile& file = files_[tensor.origin.file];
    if (file == nullptr) {
        file = opened(tensor, "file", [&] {
            return std::make_shared<const SafetensorsFile>(std::filesystem::path(pipeline_.folder) /
                                                           tensor.origin.file);
        });
    }
}

void TensorValues::open_checkpoint(const PipelineTensor& tensor) {
    if (tensor.origin.kind != OriginKind::Checkpoint || file_of(tensor) != nullptr) {
        // A file of inputs or state replaces the model, so that its shards need not be there.
        return;
    }
    auto& files = checkpoints_[tensor.origin.checkpoint];
    if (files == nullptr) {
        const auto path = std::filesystem::path(pipeline_.folder) / tensor.origin.checkpoint;
        files =
            opened(tensor, "checkpoint", [&] { return std::make_shared<const Checkpoint>(path); });
    }
    from_models_[tensor.name] = std::make_shared<const CheckpointValues>(*files, tensor);
}

const CheckpointValues* TensorValues::checkpoint_of(const PipelineTensor& tensor) const {
    const auto found = from_models_.find(tensor.name);
    return found == from_models_.end() ? nullptr : found->second.get();
}

std::vector<std::string> TensorValues::unread_inputs() const {
    std::set<std::string> read;
    for (const PipelineTensor& tensor : pipeline_.tensors) {
        if (inputs_ != nullptr && is_used(pipeline_, tensor.name) &&
            file_of(tensor) == inputs_.get()) {
            for (std::uint32_t device = 0; device < num_own(tensor, devices_); ++device) {
                read.insert(stored(*inputs_, tensor, device).name);
            }
        }
    }
    std::vector<std::string> unread;
    for (const StoredTensor& stored :
         inputs_ == nullptr ? std::vector<StoredTensor>() : inputs_->tensors()) {
        if (!read.contains(stored.name)) {
            unread.push_back(stored.name);
        }
    }
    return unread;
}

// A file may hold more tensors than a run reads, such as expected results; the report names them. A
// name with one wrong letter is an error, since the run would draw the tensor instead.
void TensorValues::check_names() const {
    std::vector<std::string> known;
    for (const PipelineTensor& tensor : pipeline_.tensors) {
        if (is_used(pipeline_, tensor.name)) {
            known.push_back(name_in_files(tensor));
        }
    }
    for (const std::string& name : unread_inputs()) {
        const std::string near = known.empty() ? "" : config::nearest(name, known);
        require(near.empty() || !is_typing_error(name, near),
                "{}: {} is not a tensor of the run; did you mean {}?", inputs_->path(), name, near);
    }
}

std::vector<report::NanNote> TensorValues::nans() const {
    std::vector<report::NanNote> notes;
    for (const PipelineTensor& tensor : pipeline_.tensors) {
        const bool is_read = is_used(pipeline_, tensor.name) && !tensor.is_packed;
        const SafetensorsFile* file = is_read ? file_of(tensor) : nullptr;
        report::NanNote note{.tensor = tensor.name};
        for (std::uint32_t device = 0; file != nullptr && device < num_own(tensor, devices_);
             ++device) {
            const StoredTensor& held = stored(*file, tensor, device);
            // Codes of another dtype than the format's are not floating-point numbers.
            const DataFormat format = format_of(held.dtype).value_or(DataFormat::UInt8);
            const NanCount found = count_nan(format, held.bytes);
            if (found.count != 0 && note.count == 0) {
                note.first = position_in(held.shape, found.first) +
                             (tensor.distribution == Distribution::Each
                                  ? fmt::format(" of device {}", device)
                                  : "");
            }
            note.count += found.count;
            note.num_elements += num_elements(held.shape);
        }
        if (const CheckpointValues* values = is_read ? checkpoint_of(tensor) : nullptr) {
            note = values->nans();
        }
        if (note.count != 0) {
            notes.push_back(std::move(note));
        }
    }
    return notes;
}

const SafetensorsFile* TensorValues::file_of(const PipelineTensor& tensor) const {
    if (state_ != nullptr && tensor.persistent && is_read_from(pipeline_, tensor.name, 0)) {
        return state_.get();
    }
    // State before inputs: a cache continues from an earlier run. A tensor that would be drawn must
    // be in the file of inputs.
    const bool is_required = is_drawn(tensor.origin.kind) || !tensor.stored_as.empty();
    if (inputs_ != nullptr && (is_required || has(*inputs_, tensor))) {
        return inputs_.get();
    }
    return tensor.origin.kind == OriginKind::File ? files_.at(tensor.origin.file).get() : nullptr;
}

bool TensorValues::has(const SafetensorsFile& file, const PipelineTensor& tensor) {
    // The tensor of device 0 is planned for all; check_stored() judges each.
    const std::string name = name_on(name_in_files(tensor), 0);
    return file.find(name) != nullptr ||
           (tensor.distribution == Distribution::Each && file.find(own_name(0, name)) != nullptr);
}

// Even if devices have their own tensors, a file may hold one tensor for all devices.
const StoredTensor& TensorValues::stored(const SafetensorsFile& file, const PipelineTensor& tensor,
                                         std::uint32_t device) const {
    // `origin.tensor` is the name in the file of the origin; --inputs has the names of the run.
    const bool is_named = &file != inputs_.get() && tensor.origin.kind == OriginKind::File &&
                          !tensor.origin.tensor.empty();
    const std::string name =
        name_on(is_named ? tensor.origin.tensor : name_in_files(tensor), device);
    if (tensor.distribution == Distribution::Each && file.find(name) == nullptr) {
        return file.at(own_name(device, name));
    }
    return file.at(name);
}

void TensorValues::check_stored(const PipelineTensor& tensor) const {
    const SafetensorsFile* file = file_of(tensor);
    for (std::uint32_t device = 0; file != nullptr && device < num_own(tensor, devices_);
         ++device) {
        const StoredTensor& found = stored(*file, tensor, device);
        if (tensor.is_packed) {
            const Shape pages = page_shape(tensor.spec);
            require(found.bytes.size() == num_elements(pages),
                    "{}: {}: {} B, allowed: {} B, packed: {} pages of {} B", file->path(),
                    found.name, found.bytes.size(), num_elements(pages), pages[0], pages[1]);
            continue;
        }
        const DataFormat format = tensor.spec.format;
        require(found.dtype == dtype_of(host_format(format)) ||
                    other_dtype(format, found.dtype) != nullptr,
                "{}: {}: dtype {}, allowed: {}", file->path(), found.name, name_of(found.dtype),
                allowed_dtypes(format));
        require(shape_in_run(found) == tensor.spec.shape, "{}: {}: shape {}, allowed: {}",
                file->path(), found.name, to_string(found.shape), to_string(tensor.spec.shape));
    }
}

bool TensorValues::is_packed(const PipelineTensor& tensor) const {
    return tensor.is_packed && file_of(tensor) != nullptr;
}

HostTensor TensorValues::pages(const PipelineTensor& tensor, std::uint32_t device) const {
    const StoredTensor& found = stored(*file_of(tensor), tensor, device);
    return {page_shape(tensor.spec), DataFormat::UInt8, {found.bytes.begin(), found.bytes.end()}};
}

HostTensor TensorValues::unpacked(const PipelineTensor& tensor, std::uint32_t device) const {
    const HostTensor bytes = pages(tensor, device);
    HostTensor values = make_host_tensor(tensor.spec.shape, host_format(tensor.spec.format));
    const PageCodec codec(tensor.spec);
    const std::size_t page = tensor.spec.page_size();
    for (std::uint32_t i = 0; i < codec.num_pages(); ++i) {
        codec.decode(std::span(bytes.bytes).subspan(i * page, page), i, values.bytes);
    }
    return values;
}

// Models ship gate and up weights apart, and ops read them as one tensor.
HostTensor TensorValues::joined(const PipelineTensor& tensor, std::uint32_t device) const {
    HostTensor all = make_host_tensor(tensor.spec.shape, host_format(tensor.spec.format));
    std::uint32_t first = 0;
    for (const std::string& name : tensor.origin.parts) {
        const HostTensor part = whole(*find_tensor(pipeline_, name), device);
        const Shape shape = with_rank(part.shape, tensor.spec.shape.size());
        std::vector<std::uint32_t> indices(shape[tensor.origin.axis]);
        std::iota(indices.begin(), indices.end(), first);
        write_part(part, tensor.origin.axis, indices, all);
        first += static_cast<std::uint32_t>(indices.size());
    }
    return all;
}

// Maps tell a device its own experts only; a sender needs the place of every expert.
HostTensor TensorValues::places(const PipelineTensor& tensor) const {
    HostTensor all = make_host_tensor(tensor.spec.shape, DataFormat::Int32);
    const auto out = all.as<std::int32_t>();
    std::ranges::fill(out, -1);
    for (std::uint32_t device = 0; device < devices_; ++device) {
        const HostTensor map = whole(*find_tensor(pipeline_, tensor.origin.map), device);
        const auto own = map.as<std::int32_t>();
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (own[i] >= 0) {
                out[i] = static_cast<std::int32_t>(device * tensor.origin.slots) + own[i];
            }
        }
    }
    return all;
}

HostTensor TensorValues::whole(const PipelineTensor& tensor, std::uint32_t device) const {
    // A file wins over the origin, so that --inputs and --state replace drawn values.
    if (const SafetensorsFile* file = file_of(tensor)) {
        if (tensor.is_packed) {
            return unpacked(tensor, device);
        }
        const StoredTensor& found = stored(*file, tensor, device);
        const auto* other = other_dtype(tensor.spec.format, found.dtype);
        return other != nullptr ? other->read(found) : file->read(found.name);
    }
    if (const CheckpointValues* values = checkpoint_of(tensor)) {
        return values->all();
    }
    if (tensor.origin.kind == OriginKind::Join) {
        return joined(tensor, device);
    }
    if (tensor.origin.kind == OriginKind::ExpertPlaces) {
        return places(tensor);
    }
    return value_of_origin(tensor, {pipeline_.seed, devices_, device});
}

HostTensor TensorValues::on(const PipelineTensor& tensor, std::uint32_t device) const {
    return tensor.distribution == Distribution::Split ? part(tensor, device)
                                                      : whole(tensor, device);
}

}  // namespace tessera::pipeline
