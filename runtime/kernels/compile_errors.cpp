// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/compile_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <sstream>
#include <string_view>

namespace tessera {
namespace {

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::ranges::find(list, text) == list.end()) {
        list.push_back(std::move(text));
    }
}

/// Returns the text between the first pair of quotes from `at` on.
std::string quoted(std::string_view line, std::size_t at) {
    const std::size_t begin = line.find('\'', at);
    const std::size_t end = begin == line.npos ? line.npos : line.find('\'', begin + 1);
    return end == line.npos ? "" : std::string(line.substr(begin + 1, end - begin - 1));
}

// A define of the program that is used as a name or a call; the kernel API has few names of
// capitals alone.
bool is_define(std::string_view name) {
    constexpr std::array<std::string_view, 8> kOfTheChip{"TTI_", "TT_",       "SFPSTORE", "NOC_",
                                                         "MEM_", "ADDR_MOD_", "ELW",      "DPRINT"};
    const bool is_capital = std::ranges::all_of(name, [](unsigned char c) {
        return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
    });
    return is_capital && std::ranges::none_of(kOfTheChip, [&](std::string_view start) {
               return name.starts_with(start);
           });
}

void add_name(const std::string& name, CompileErrors& errors) {
    const bool is_of_program = is_define(name) || is_resource_namespace(name);
    add_once(is_of_program ? errors.defines : errors.names, name);
}

/// Returns whether clang corrects the name to one of ckernel, the namespace of compute kernels: all
/// kernels see it, and compute kernels alone use it without its name.
bool is_of_compute_kernels(std::string_view message, std::string_view name) {
    return message.find(fmt::format("did you mean 'ckernel::{}'?", name)) != message.npos;
}

// Returns the member with its class: "Noc::async_read".
std::string member_of(std::string_view line, std::size_t at) {
    const std::string member = quoted(line, at);
    const std::size_t in = line.find("' in ", at);
    const std::string owner = in == line.npos ? "" : quoted(line, in + 5);
    return owner.empty() ? member : owner + "::" + member;
}

// The API's own assertions name the defines that a program has to give: -DREDUCE_OP.
bool add_asked_defines(std::string_view message, CompileErrors& errors) {
    if (!message.starts_with("static_assert failed")) {
        return false;
    }
    static const std::regex kDefine(R"(-D([A-Z][A-Z0-9_]+))");
    const std::string text(message);
    bool is_asked = false;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), kDefine);
         at != std::sregex_iterator(); ++at) {
        add_once(errors.defines, (*at)[1]);
        is_asked = true;
    }
    return is_asked;
}

void add_error(std::string_view line, CompileErrors& errors) {
    const std::string_view message = line.substr(line.find("error: ") + 7);
    if (add_asked_defines(message, errors)) {
        return;
    }
    if (message.find("file not found") != message.npos) {
        const std::string name = quoted(message, 0);
        add_once(is_vendor_header(name) ? errors.vendor_headers : errors.user_headers, name);
        return;
    }
    for (const std::string_view start : {"use of undeclared identifier ", "unknown type name ",
                                         "no template named ", "unknown class name "}) {
        if (message.starts_with(start)) {
            const std::string name = quoted(message, 0);
            return is_of_compute_kernels(message, name) ? add_once(errors.compute_functions, name)
                                                        : add_name(name, errors);
        }
    }
    if (message.starts_with("no member named ") || message.starts_with("no type named ")) {
        return add_once(errors.names, member_of(message, 0));
    }
    add_once(errors.others, std::string(line));
}

}  // namespace

bool CompileErrors::empty() const noexcept {
    return vendor_headers.empty() && user_headers.empty() && names.empty() && defines.empty() &&
           compute_functions.empty() && others.empty();
}

CompileErrors compile_errors(const std::string& output) {
    CompileErrors errors;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        // instructions.hpp warns of each use with the instruction's name alone.
        constexpr std::string_view kInstruction = "warning: TT";
        const std::size_t warning = line.find(kInstruction);
        if (line.find("error: ") != line.npos) {
            add_error(line, errors);
        } else if (warning != line.npos) {
            const std::string_view name = std::string_view(line).substr(warning + 9);
            add_once(errors.instructions, std::string(name.substr(0, name.find(' '))));
        }
    }
    return errors;
}

bool is_resource_namespace(const std::string& name) {
    constexpr std::array<std::string_view, 7> kNames{
        "args", "dfb", "sem", "tensor", "get_arg", "get_vararg", "get_common_vararg"};
    return std::ranges::find(kNames, name) != kNames.end();
}

bool is_vendor_header(const std::string& name) {
    constexpr std::array<std::string_view, 20> kStarts{"api/",
                                                       "compute_kernel_api",
                                                       "dataflow_api",
                                                       "experimental/",
                                                       "hostdevcommon/",
                                                       "internal/",
                                                       "debug/",
                                                       "noc/",
                                                       "fabric/",
                                                       "llk_",
                                                       "ckernel",
                                                       "sfpi",
                                                       "tensix",
                                                       "tt-metalium/",
                                                       "tt_metal/hw/",
                                                       "tt_metal/api/",
                                                       "tt_metal/fabric/",
                                                       "risc_",
                                                       "noc_",
                                                       "stream_"};
    return std::ranges::any_of(kStarts,
                               [&](std::string_view start) { return name.starts_with(start); });
}

std::string missing_text(const CompileErrors& errors, std::span<const std::string> roots) {
    std::string text;
    for (const std::string& header : errors.vendor_headers) {
        text +=
            fmt::format("\n  '{}' is a header of TT-Metalium that Tessera does not have", header);
    }
    for (const std::string& header : errors.user_headers) {
        text += fmt::format(
            "\n  '{}' is not a header of the kernel API; searched: the kernel's folder{}{}. Name "
            "its root with --include DIR, `include` of the program, or TT_METAL_HOME",
            header, roots.empty() ? "" : ", ", fmt::join(roots, ", "));
    }
    if (!errors.names.empty()) {
        text +=
            fmt::format("\n  names that Tessera does not have: {}", fmt::join(errors.names, ", "));
    }
    if (!errors.compute_functions.empty()) {
        text += fmt::format(
            "\n  a kernel that moves data cannot call {}; allowed in compute kernels, `on: "
            "compute`",
            fmt::join(errors.compute_functions, ", "));
    }
    if (!errors.defines.empty()) {
        text += fmt::format("\n  words that the program may have to define: {}",
                            fmt::join(errors.defines, ", "));
    }
    if (!errors.instructions.empty()) {
        text += fmt::format("\n  instructions of the chip, where a run ends if it reaches them: {}",
                            fmt::join(errors.instructions, ", "));
    }
    return text;
}

}  // namespace tessera
