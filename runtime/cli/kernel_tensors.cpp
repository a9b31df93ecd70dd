// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/kernel_tensors.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "emu/base/fields/enum_names.hpp"
#include "emu/base/tensor_file/safetensors.hpp"
#include "runtime/cli/config_options.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;
using pipeline::InferredTensor;

// Names of run files: a file may have any.
std::string plain_name(std::string name) {
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
    return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "t" + name
                                                                                       : name;
}

template <class E>
E enum_named(const std::string& option, const std::string& name) {
    std::string allowed;
    for (const auto& [text, value] : config::kEnumNames<E>) {
        if (text == name) {
            return value;
        }
        allowed += (allowed.empty() ? "" : ", ") + std::string(text);
    }
    throw UsageError(fmt::format("{}: unknown '{}'; allowed: {}", option, name, allowed));
}

/// "x=512x512:float32"
InferredTensor described_tensor(const char* option, const std::string& text) {
    const std::string full = fmt::format("{} {}", option, text);
    const std::size_t equals = text.find('=');
    require(equals != text.npos && equals > 0,
            "{}: expected NAME=SHAPE or NAME=SHAPE:DTYPE, such "
            "as x=512x512:float32",
            full);
    InferredTensor tensor{
        .name = plain_name(text.substr(0, equals)), .spec = {}, .origin = {}, .reason = "given"};
    const std::size_t colon = text.find(':', equals);
    if (colon != text.npos) {
        tensor.spec.format = enum_named<DataFormat>(full, text.substr(colon + 1));
    }
    for (const std::string& extent :
         parts_of(text.substr(equals + 1, colon == text.npos ? colon : colon - equals - 1), 'x')) {
        std::uint32_t number = 0;
        const char* end = extent.data() + extent.size();
        const auto [rest, error] = std::from_chars(extent.data(), end, number);
        require(error == std::errc() && rest == end && number > 0,
                "{}: '{}' is not an extent; allowed: numbers from 1, such as 512x512", full,
                extent);
        tensor.spec.shape.push_back(number);
    }
    return tensor;
}

InferredTensor stored_tensor(const SafetensorsFile& file, const StoredTensor& stored) {
    require(stored.unreadable.empty(), "--in {}: {}: {}", file.path(), stored.name,
            stored.unreadable);
    const auto format = format_of(stored.dtype);
    require(format.has_value(), "--in {}: {} has dtype {}, which kernels cannot read", file.path(),
            stored.name, name_of(stored.dtype));
    const nlohmann::json path = fs::absolute(file.path()).string();
    const nlohmann::json name = stored.name;
    return {.name = plain_name(stored.name),
            .spec = {stored.shape, *format},
            .origin = fmt::format("{{file: {}, tensor: {}}}", path.dump(), name.dump()),
            .reason = stored.name + " of " + fs::path(file.path()).filename().string()};
}

void read_input(const std::string& text, std::vector<InferredTensor>& inputs) {
    if (text.find('=') != text.npos && !fs::exists(text)) {
        inputs.push_back(described_tensor("--in", text));
        inputs.back().reason = "given; random values";
        return;
    }
    const std::size_t colon = fs::exists(text) ? text.npos : text.rfind(':');
    const std::string path = text.substr(0, colon);
    require(fs::exists(path),
            "--in {}: no such file; allowed: FILE, FILE:TENSOR, or NAME=SHAPE for random values",
            text);
    const SafetensorsFile file(path);
    if (colon != text.npos) {
        inputs.push_back(stored_tensor(file, file.at(text.substr(colon + 1))));
        return;
    }
    for (const StoredTensor& stored : file.tensors()) {
        inputs.push_back(stored_tensor(file, stored));
    }
}

bool uses_tiles(const std::vector<pipeline::KernelFile>& files) {
    return std::ranges::any_of(files, [](const pipeline::KernelFile& file) {
        return file.processor == Processor::Compute ||
               std::ranges::any_of(file.text.words, [](const std::string& word) {
                   return word.find("tile") != std::string::npos;
               });
    });
}

InferredTensor* find_named(KernelTensors& tensors, const std::string& name) {
    for (auto* group : {&tensors.inputs, &tensors.outputs}) {
        const auto found = std::ranges::find(*group, name, &InferredTensor::name);
        if (found != group->end()) {
            return &*found;
        }
    }
    return nullptr;
}

// A tensor of a name that is taken has no argument of a kernel to go to.
void check_names(const KernelTensors& tensors) {
    std::set<std::string> names;
    for (const auto& [option, group] :
         {std::pair("--in", &tensors.inputs), std::pair("--out", &tensors.outputs)}) {
        for (const InferredTensor& tensor : *group) {
            require(names.insert(tensor.name).second,
                    "{} {}: another tensor has this name; allowed: a name for each tensor", option,
                    tensor.name);
        }
    }
}

void set_layouts(const KernelTensorOptions& options, Layout layout, KernelTensors& tensors) {
    for (auto* group : {&tensors.inputs, &tensors.outputs}) {
        for (InferredTensor& tensor : *group) {
            tensor.spec.layout = layout;
        }
    }
    for (const std::string& choice : options.layouts) {
        const std::size_t equals = choice.find('=');
        InferredTensor* tensor = find_named(tensors, choice.substr(0, equals));
        require(tensor != nullptr && equals != choice.npos,
                "--layout {}: expected NAME=LAYOUT of a tensor of --in or --out", choice);
        tensor->spec.layout = enum_named<Layout>("--layout " + choice, choice.substr(equals + 1));
    }
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char letter : text) {
        if (letter == separator) {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return parts;
}

void add_tensor_options(CLI::App& command, KernelTensorOptions& options) {
    add_repeated_option(command, "--in", options.inputs, "TENSOR",
                        "Input: FILE (all tensors of a safetensors file), FILE:TENSOR, or "
                        "NAME=SHAPE[:DTYPE] for random values: x=512x512");
    add_repeated_option(command, "--out", options.outputs, "NAME=SHAPE[:DTYPE]",
                        "Output, if its shape is not that which is inferred");
    add_repeated_option(command, "--layout", options.layouts, "NAME=LAYOUT",
                        "Layout of a tensor: tile or row_major [tile if a kernel uses tiles]");
}

KernelTensors kernel_tensors(const KernelTensorOptions& options,
                             const std::vector<pipeline::KernelFile>& files) {
    KernelTensors tensors;
    for (const std::string& text : options.inputs) {
        read_input(text, tensors.inputs);
    }
    for (const std::string& text : options.outputs) {
        tensors.outputs.push_back(described_tensor("--out", text));
        if (text.find(':') == text.npos && !tensors.inputs.empty()) {
            tensors.outputs.back().spec.format = tensors.inputs.front().spec.format;
        }
    }
    check_names(tensors);
    set_layouts(options, uses_tiles(files) ? Layout::TILE : Layout::ROW_MAJOR, tensors);
    return tensors;
}

}  // namespace tessera::cli
