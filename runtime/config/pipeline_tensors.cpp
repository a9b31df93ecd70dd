// SPDX-License-Identifier: Apache-2.0
// Binds the block `tensors:` of a run file.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/fields/tensor_fields.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using pipeline::Distribution;
using pipeline::PipelineTensor;
using pipeline::Scope;
using pipeline::TensorOrigin;

/// Binds the shape, whose extents may be expressions.
void bind_shape(PipelineBinder& binder, const Node& tensor, const std::string& path,
                const Scope& names, Shape& shape) {
    const Node* node = tensor.find("shape");
    if (node == nullptr) {
        binder.mistake(tensor, path, "required key is missing");
        return;
    }
    binder.guarded(*node, path, [&] {
        shape = shape_of(*node, names);
        // Throws if the product does not fit in 64 bits.
        (void)num_elements(shape);
        binder.resolve(*node, path, Value<Numbers>::show(shape), nlohmann::json(shape).dump());
    });
}

/// Turns the word `none` into an empty name: a field's default cannot be an empty text.
void clear_none(std::string& name) {
    if (name == "none") {
        name.clear();
    }
}

/// Returns the row of an origin, and the key under which its kind is written. A plain word such as
/// `zeros` is a row without fields.
const OriginRow* origin_row(const Node& node, std::string_view& key) {
    for (const OriginRow& row : kOriginRows) {
        const Node* word = node.kind == NodeKind::Map ? node.find(row.key) : nullptr;
        const bool is_word = row.word.empty() || (word != nullptr && word->text == row.word);
        if ((word != nullptr && is_word) ||
            (node.kind == NodeKind::Scalar && !node.text.empty() && node.text == row.word)) {
            key = row.key;
            return &row;
        }
    }
    return nullptr;
}

/// Returns the allowed origins for messages, from the table that binds them.
std::string origin_words() {
    std::string words;
    for (const OriginRow& row : kOriginRows) {
        words += (words.empty() ? "" : ", ") +
                 (row.key.empty()
                      ? std::string(row.word)
                      : fmt::format("{{{}: {}}}", row.key, row.word.empty() ? "…" : row.word));
    }
    return words;
}

void bind_origin(PipelineBinder& binder, const Node* given, const std::string& path,
                 const Scope& names, TensorOrigin& origin) {
    // An origin may be omitted: random values find more mistakes than zeros.
    static const Node kNormal{
        .kind = NodeKind::Map,
        .entries = {{"random", {}, {.kind = NodeKind::Scalar, .text = "normal"}}}};
    const Node& node = given == nullptr ? kNormal : *given;
    std::string_view key;
    const OriginRow* row = origin_row(node, key);
    if (row == nullptr) {
        binder.mistake(node, path,
                       fmt::format("unknown origin {}, allowed: {}",
                                   node.kind == NodeKind::Map ? to_yaml(node) : describe(node),
                                   origin_words()));
        return;
    }
    origin.kind = row->kind;
    Node map =
        node.kind == NodeKind::Map ? node : Node{.kind = NodeKind::Map, .origin = node.origin};
    if (!row->word.empty()) {
        (void)take(map, key);
        binder.resolve_word(node, path, std::string(row->word));
    }
    const Node ready = binder.evaluated(row->fields, map, &origin, path + ".", names);
    bind_fields(row->fields, ready, &origin, path + ".", binder.binding);
    clear_none(origin.tensor);
    for (std::string& part : origin.parts) {
        binder.guarded(node, path, [&] { part = pipeline::substitute(part, names); });
    }
    if (origin.kind == pipeline::OriginKind::Index) {
        // Evaluated once for the first element, so that a mistake has a line of the file and not
        // only shows when values are drawn.
        Scope first(&names);
        first.set("i", std::int64_t{0});
        first.set("device", std::int64_t{0});
        binder.guarded(node, path, [&] { (void)pipeline::evaluate_integer(origin.index, first); });
        // A copy without outer scopes, which end with the binder; values are drawn later.
        origin.names = std::make_shared<const Scope>(names.flat());
    }
}

/// Binds `split:`; a tensor with it is never replicated.
void bind_split(PipelineBinder& binder, const Node& split, const std::string& path,
                const Scope& names, PipelineTensor& tensor) {
    const Node ready = binder.evaluated(kSplitFields, split, &tensor, path + ".", names);
    bind_fields(kSplitFields, ready, &tensor, path + ".", binder.binding);
    clear_none(tensor.split_by);
    tensor.distribution = Distribution::Split;
    const Node* over = split.find("over");
    if (over == nullptr) {
        return;
    }
    binder.guarded(*over, path + ".over", [&] {
        tensor.split_groups = binder.groups_called(tensor.split_over);
        std::size_t devices = 0;
        for (const auto& group : tensor.split_groups) {
            devices += group.size();
        }
        // Each device must hold a part; a device outside of all groups would have no tensor.
        require(devices == binder.target.mesh.shape.num_devices(),
                "{} are groups of {} devices; allowed: groups of all {}", tensor.split_over,
                devices, binder.target.mesh.shape.num_devices());
    });
}

/// Binds a format, or an expression that gives its name: weights of a run may be codes.
void bind_dtype(PipelineBinder& binder, const Node* node, const std::string& path,
                const Scope& names, DataFormat& format) {
    if (node == nullptr) {
        return;
    }
    Node ready = *node;
    if (std::holds_alternative<Mistake>(Value<DataFormat>::parse(*node))) {
        binder.guarded(*node, path, [&] { ready = binder.evaluated(*node, names); });
    }
    bind_plain(binder, &ready, path, format);
}

/// Binds one tensor.
void bind_tensor(PipelineBinder& binder, const Entry& entry, const std::string& name,
                 const Scope& names) {
    const Node& node = entry.value;
    const std::string path = "tensors." + name;
    if (node.kind != NodeKind::Map) {
        binder.mistake(node, path, "expected {shape: …, dtype: …}, found " + describe(node));
        return;
    }
    binder.refuse_unknown(node, path + ".", kTensorKeys);
    PipelineTensor tensor{.name = name, .place = entry.origin};
    bind_shape(binder, node, path + ".shape", names, tensor.spec.shape);
    if (node.find("dtype") == nullptr) {
        binder.mistake(node, path + ".dtype", "required key is missing");
    }
    bind_dtype(binder, node.find("dtype"), path + ".dtype", names, tensor.spec.format);
    bind_plain(binder, node.find("layout"), path + ".layout", tensor.spec.layout);
    bind_plain(binder, node.find("tile"), path + ".tile", tensor.spec.tile);
    bind_plain(binder, node.find("distribution"), path + ".distribution", tensor.distribution);
    bind_plain(binder, node.find("persistent"), path + ".persistent", tensor.persistent);
    bind_plain(binder, node.find("packed"), path + ".packed", tensor.is_packed);
    if (tensor.is_packed && (tensor.persistent || node.find("split") != nullptr)) {
        binder.mistake(*node.find("packed"), path + ".packed",
                       "is true; allowed without `split` and `persistent`: pages are not divided");
    }
    if (const Node* stored_as = node.find("stored_as")) {
        binder.guarded(*stored_as, path + ".stored_as",
                       [&] { tensor.stored_as = name_pattern(*stored_as, names); });
    }
    if (const Node* memory = node.find("memory")) {
        bind_memory(binder, *memory, path + ".memory", tensor.memory, names);
        // Without `memory` the first step that reads the tensor may choose its layout
        // (place_open_inputs).
        tensor.has_memory = true;
    }
    if (const Node* split = node.find("split")) {
        bind_split(binder, *split, path + ".split", names, tensor);
    }
    bind_origin(binder, node.find("origin"), path + ".origin", names, tensor.origin);
    // Keys of a map are unique, but two names may be equal after ${…} is replaced.
    if (find_tensor(binder.spec, name) != nullptr) {
        binder.mistake(node, path, "is defined twice; the name of a repeated tensor needs ${…}");
        return;
    }
    binder.spec.tensors.push_back(std::move(tensor));
}

}  // namespace

std::string name_pattern(const Node& node, const Scope& names) {
    Scope inner(&names);
    // Replaced by itself: the device is known when the file is written.
    inner.set("device", std::string("${device}"));
    return pipeline::substitute(node.text, inner);
}

Shape shape_of(const Node& node, const Scope& names) {
    require(node.kind == NodeKind::Sequence && !node.elements.empty(),
            "expected a list of extents, found {}", describe(node));
    Shape shape;
    for (const Node& extent : node.elements) {
        require(extent.kind == NodeKind::Scalar, "expected an extent, found {}", describe(extent));
        constexpr std::uint32_t kFewest = 1;
        shape.push_back(pipeline::evaluate_count(extent.text, names, kFewest));
    }
    return shape;
}

void bind_memory(PipelineBinder& binder, const Node& node, const std::string& path,
                 MemoryConfig& memory, const Scope& names) {
    if (node.kind == NodeKind::Scalar) {
        bind_plain(binder, &node, path, memory.memory);
        return;
    }
    const Node ready = binder.evaluated(kMemoryFields, node, &memory, path + ".", names);
    bind_fields(kMemoryFields, ready, &memory, path + ".", binder.binding);
}

void repeat(PipelineBinder& binder, const Node& node, const std::string& path, const Scope& names,
            const std::function<void(const Scope&)>& act) {
    const Node* when = node.find("when");
    bool is_wanted = true;
    if (when != nullptr && binder.is_word(*when, path + ".when", "a condition")) {
        binder.guarded(*when, path + ".when", [&] {
            is_wanted = pipeline::evaluate_condition(when->text, names);
            binder.resolve_word(*when, path + ".when", when->text);
        });
    }
    // A count is evaluated only if it is wanted: it may be valid under another choice only.
    const Node* range = node.find("repeat");
    if (!is_wanted || range == nullptr) {
        if (is_wanted) {
            act(names);
        }
        return;
    }
    if (range->kind != NodeKind::Map || range->entries.size() != 1) {
        binder.mistake(*range, path + ".repeat",
                       "expected {name: count}, found " + describe(*range));
        return;
    }
    const Entry& counter = range->entries.front();
    binder.guarded(counter.value, path + ".repeat", [&] {
        const std::uint32_t count = pipeline::evaluate_count(counter.value.text, names);
        // Restored below: a sibling of a repetition is not repeated.
        const std::uint64_t outer = binder.num_repetitions;
        require(count * outer <= kMostRepetitions, "{} repetitions{}, allowed: 0 to {}",
                count * outer, outer == 1 ? "" : fmt::format(" ({} in each of {})", count, outer),
                kMostRepetitions);
        binder.num_repetitions = count * outer;
        for (std::uint32_t i = 0; i < count; ++i) {
            Scope inner(&names);
            // A counter hides a name outside, such as the counter of an outer repetition.
            inner.set(counter.key, std::int64_t{i});
            act(inner);
        }
        binder.num_repetitions = outer;
    });
}

void bind_tensors(PipelineBinder& binder, const Node& tensors) {
    if (tensors.kind == NodeKind::Null) {
        return;
    }
    if (tensors.kind != NodeKind::Map) {
        binder.mistake(tensors, "tensors", "expected a map, found " + describe(tensors));
        return;
    }
    for (const Entry& entry : tensors.entries) {
        if (entry.origin.kind == OriginKind::Override) {
            continue;  // refuse_new() reports it
        }
        repeat(binder, entry.value, "tensors." + entry.key, binder.scope, [&](const Scope& names) {
            binder.guarded(entry.value, "tensors." + entry.key, [&] {
                const std::string name = pipeline::substitute(entry.key, names);
                binder.tensor_names.insert(name);
                bind_tensor(binder, entry, name, names);
            });
        });
    }
}

}  // namespace tessera::config
