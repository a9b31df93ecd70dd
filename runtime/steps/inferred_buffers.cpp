// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/inferred_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>

#include "runtime/steps/expression.hpp"

namespace tessera::pipeline {
namespace {

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// Assigns the indices that no text states.
class Assigner {
public:
    Assigner(const std::vector<KernelFile>& files, const KernelOverrides& overrides)
        : files_(files), overrides_(overrides) {}

    BufferIndices assign() {
        note_known();
        const auto fills = [](const KernelBuffer& b) { return b.is_pushed && !b.is_awaited; };
        const auto awaits = [](const KernelBuffer& b) { return b.is_awaited && !b.is_pushed; };
        const auto both = [](const KernelBuffer& b) { return b.is_pushed && b.is_awaited; };
        constexpr std::uint32_t kFirstOutput = 16;
        constexpr std::uint32_t kFirstIntermediate = 24;
        // First those whose other end has a number in its text.
        match(Role::Mover, fills, open_ends(Role::Compute, awaits, fills));
        match(Role::Mover, fills, open_ends(Role::Mover, awaits, fills));
        number(Role::Mover, fills, 0);
        match(Role::Compute, awaits, open_ends(Role::Mover, fills, awaits));
        number(Role::Compute, awaits, 0);
        match(Role::Compute, fills, open_ends(Role::Mover, awaits, fills));
        number(Role::Compute, fills, kFirstOutput);
        number(Role::Compute, both, kFirstIntermediate);
        match(Role::Mover, awaits, open_ends(Role::Compute, fills, awaits));
        match(Role::Mover, awaits, open_ends(Role::Mover, fills, awaits));
        number(Role::Mover, awaits, kFirstOutput);
        number(Role::Mover, both, kFirstIntermediate);
        return std::move(indices_);
    }

private:
    enum class Role : std::uint8_t { Mover, Compute };
    [[nodiscard]] bool is(const KernelFile& file, Role role) const {
        return (file.processor == Processor::Compute) == (role == Role::Compute);
    }

    void note_known() {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            for (const KernelBuffer& buffer : files_[i].text.buffers) {
                if (const auto index = known_index(files_[i], buffer)) {
                    set(i, buffer.index, *index);
                }
            }
        }
    }
    [[nodiscard]] std::optional<std::uint32_t> known_index(const KernelFile& file,
                                                           const KernelBuffer& buffer) const {
        if (const auto number = number_in(buffer.index)) {
            return number;
        }
        const auto argument =
            std::ranges::find(file.text.arguments, buffer.index, &KernelArgument::key);
        if (argument == file.text.arguments.end()) {
            return std::nullopt;
        }
        if (const std::string* value = overridden(overrides_, file, *argument)) {
            return number_in(*value);
        }
        // A host maps "c_5", or "cb_5", to the buffer of that number.
        const std::string& name = argument->name;
        const std::size_t digits = name.find_last_not_of("0123456789") + 1;
        return digits > 0 && digits < name.size() && name[digits - 1] == '_' && name.front() == 'c'
                   ? number_in(std::string_view(name).substr(digits))
                   : std::nullopt;
    }

    void set(std::size_t kernel, const std::string& key, std::uint32_t index) {
        indices_[{kernel, key}] = index;
        used_.insert(index);
    }

    // Calls act(kernel, key) for each buffer of the role without an index.
    template <class Choose, class Act>
    void for_open(Role role, Choose choose, Act act) {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            for (const KernelBuffer& buffer : files_[i].text.buffers) {
                if (is(files_[i], role) && choose(buffer) &&
                    !indices_.contains({i, buffer.index})) {
                    act(i, buffer.index);
                }
            }
        }
    }
    template <class Choose>
    void number(Role role, Choose choose, std::uint32_t first) {
        for_open(role, choose, [&](std::size_t kernel, const std::string& key) {
            while (used_.contains(first)) {
                ++first;
            }
            set(kernel, key, first);
        });
    }
    // Gives the buffers of `candidates` in order.
    template <class Choose>
    void match(Role role, Choose choose, const std::vector<std::uint32_t>& candidates) {
        auto next = candidates.begin();
        for_open(role, choose, [&](std::size_t kernel, const std::string& key) {
            if (next != candidates.end()) {
                set(kernel, key, *next++);
            }
        });
    }
    // Returns the buffers that kernels of the role use at one end, and no kernel at the other.
    template <class ThisEnd, class OtherEnd>
    std::vector<std::uint32_t> open_ends(Role role, ThisEnd this_end, OtherEnd other_end) const {
        std::vector<std::uint32_t> open;
        std::set<std::uint32_t> closed;
        for (std::size_t i = 0; i < files_.size(); ++i) {
            for (const KernelBuffer& buffer : files_[i].text.buffers) {
                const auto index = indices_.find({i, buffer.index});
                if (index == indices_.end()) {
                    continue;
                }
                if (other_end(buffer)) {
                    closed.insert(index->second);
                } else if (is(files_[i], role) && this_end(buffer)) {
                    open.push_back(index->second);
                }
            }
        }
        std::erase_if(open, [&](std::uint32_t index) { return closed.contains(index); });
        return open;
    }

    const std::vector<KernelFile>& files_;
    const KernelOverrides& overrides_;
    BufferIndices indices_;
    std::set<std::uint32_t> used_;
};

bool is_number(const std::string& text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Infers formats and sizes.
class BufferInference {
public:
    explicit BufferInference(const BufferContext& context) : context_(context) {}

    std::vector<InferredBuffer> infer() {
        std::vector<InferredBuffer> inferred;
        std::set<std::uint32_t> all;
        for (const auto& [key, index] : context_.indices) {
            all.insert(index);
        }
        for (const auto& [index, keys] : context_.overrides.buffers) {
            all.insert(index);
        }
        inferred.reserve(all.size());
        for (const std::uint32_t index : all) {
            inferred.push_back(buffer(index));
        }
        return inferred;
    }

private:
    InferredBuffer buffer(std::uint32_t index) {
        const InferredTensor* moved = moved_through(index);
        const InferredTensor* like = moved;
        constexpr std::uint32_t kFirstOutput = 16;
        if (like == nullptr && index >= kFirstOutput && !context_.program.outputs.empty()) {
            like = &context_.program.outputs.front();
        } else if (like == nullptr && !context_.program.inputs.empty()) {
            like = &context_.program.inputs.front();
        }
        InferredBuffer inferred{
            .index = index,
            .format = name_of(like == nullptr ? DataFormat::Float16_b : like->spec.format),
            .pages = pages_of(index),
            .page_size = like != nullptr && like->spec.layout == Layout::ROW_MAJOR
                             ? fmt::format("page_size({})", like->name)
                             : "",
            .reason = moved != nullptr  ? "pages of " + moved->name
                      : like != nullptr ? "format of " + like->name
                                        : "bfloat16"};
        const auto given = context_.overrides.buffers.find(index);
        if (given != context_.overrides.buffers.end()) {
            const auto take = [&](const char* key, std::string& value) {
                const auto found = given->second.find(key);
                value = found == given->second.end() ? value : found->second;
            };
            take("format", inferred.format);
            take("pages", inferred.pages);
            take("page_size", inferred.page_size);
            inferred.reason += is_named(index) ? ", in part given" : "; no kernel's text names it";
        }
        return inferred;
    }

    [[nodiscard]] bool is_named(std::uint32_t index) const {
        return std::ranges::any_of(context_.indices,
                                   [&](const auto& entry) { return entry.second == index; });
    }

    // Returns the tensor that a transfer moves into the buffer or out of it.
    [[nodiscard]] const InferredTensor* moved_through(std::uint32_t index) const {
        for (const AddressUse& use : context_.addresses) {
            for (const KernelTransfer& transfer : context_.files[use.kernel].text.transfers) {
                const bool has_buffer =
                    std::ranges::any_of(transfer.buffers, [&](const std::string& key) {
                        const auto found = context_.indices.find({use.kernel, key});
                        return found != context_.indices.end() && found->second == index;
                    });
                if (has_buffer && transfer.arguments.contains(use.argument.key())) {
                    return find_tensor(context_.program, use.tensor);
                }
            }
        }
        return nullptr;
    }

    // Twice the largest number of pages that a kernel reserves or awaits at once.
    std::string pages_of(std::uint32_t index) {
        std::uint32_t most = 1;
        std::set<std::string> others;
        for (const auto& [key, number] : context_.indices) {
            const auto& buffers = context_.files[key.first].text.buffers;
            const auto buffer = std::ranges::find(buffers, key.second, &KernelBuffer::index);
            if (number != index || buffer == buffers.end()) {
                continue;
            }
            for (const std::string& count : buffer->counts) {
                const std::string value = expression(key.first, count, 0).value_or("1");
                try {
                    most = std::max(most, evaluate_count(value, Scope()));
                } catch (const UsageError&) {
                    others.insert(value);  // it depends on the tensors
                }
            }
        }
        std::string pages = std::to_string(most);
        for (const std::string& other : others) {
            pages =
                most == 1 && others.size() == 1 ? other : fmt::format("max({}, {})", pages, other);
        }
        return others.empty() ? std::to_string(2 * most) : fmt::format("2 * {}", pages);
    }

    // Translates a count of a kernel's text into an expression of run files.
    std::optional<std::string> expression(std::size_t kernel, const std::string& text, int depth) {
        constexpr int kDeepest = 8;
        std::istringstream words(text);
        std::string result;
        for (std::string word; words >> word;) {
            const bool is_operator =
                word.size() == 1 && std::string("+-*()").find(word) != std::string::npos;
            if (is_number(word) || is_operator) {
                result += word;
                continue;
            }
            const auto value = depth < kDeepest ? value_of(kernel, word, depth) : std::nullopt;
            if (!value) {
                return std::nullopt;
            }
            result += "(" + *value + ")";
        }
        return result.empty() ? std::nullopt : std::optional(result);
    }
    std::optional<std::string> value_of(std::size_t kernel, const std::string& variable,
                                        int depth) {
        const auto& arguments = context_.program.kernels[kernel].arguments;
        const auto argument = std::ranges::find_if(arguments, [&](const InferredArgument& a) {
            return a.argument.variable == variable && !a.value.empty();
        });
        if (argument != arguments.end()) {
            // The first group has the largest shares.
            const std::string& value = argument->value;
            return value == "core.count" ? std::optional<std::string>(kUnitsPerCore)
                   : value.find("core.") == std::string::npos ? std::optional(value)
                                                              : std::nullopt;
        }
        const auto& values = context_.files[kernel].text.values;
        const auto found = values.find(variable);
        return found == values.end() ? std::nullopt : expression(kernel, found->second, depth + 1);
    }

    const BufferContext& context_;
};

}  // namespace

const std::string* overridden(const KernelOverrides& overrides, const KernelFile& file,
                              const KernelArgument& argument) {
    const bool is_runtime = argument.kind == ArgumentKind::Runtime;
    const auto& values = is_runtime ? overrides.args : overrides.compile_args;
    const std::string index = argument.kind == ArgumentKind::NamedCompileTime
                                  ? argument.name
                                  : std::to_string(argument.index);
    for (const std::string& name : {index, argument.variable}) {
        if (const auto found = values.find({file.name, name}); found != values.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

BufferIndices buffer_indices(const std::vector<KernelFile>& files,
                             const KernelOverrides& overrides) {
    return Assigner(files, overrides).assign();
}

const InferredTensor* find_tensor(const InferredProgram& program, const std::string& name) {
    for (const auto* tensors : {&program.inputs, &program.outputs}) {
        const auto found = std::ranges::find(*tensors, name, &InferredTensor::name);
        if (found != tensors->end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::vector<InferredBuffer> infer_buffers(const BufferContext& context) {
    return BufferInference(context).infer();
}

}  // namespace tessera::pipeline
