// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/compiler_complaint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "runtime/kernels/compile_errors.hpp"

namespace tessera {
namespace {

constexpr int kMaxErrors = 3;
// Returns the file of "file:line:column…".
std::string_view file_of(std::string_view place) {
    return place.substr(0, place.find(':'));
}

// Returns the lines of the kernel that the compiler's errors name.
std::string lines_at_fault(const std::string& output, const CompileUnit& unit) {
    std::vector<std::string> source;
    std::istringstream text(unit.text);
    for (std::string line; std::getline(text, line);) {
        source.push_back(line);  // the first is "#line 1", so that line n is source[n]
    }
    std::string found;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const bool is_own = line.starts_with(unit.path + ":");
        const std::size_t number =
            is_own ? std::strtoul(line.c_str() + unit.path.size() + 1, nullptr, 10) : 0;
        found += number > 0 && number < source.size() ? source[number] + "\n" : "";
    }
    return found;
}

// Returns the first compile-time argument that a text reads and the program does not give: an error
// names the variable, or a line of Tessera's headers, and not the cause.
std::string missing_argument(const std::string& text, std::size_t num_given) {
    constexpr std::string_view kCall = "get_compile_time_arg_val(";
    for (std::size_t at = text.find(kCall); at != text.npos; at = text.find(kCall, at + 1)) {
        const char* const digits = text.c_str() + at + kCall.size();
        char* end = nullptr;
        const std::size_t index = std::strtoul(digits, &end, 10);
        if (end != digits && index >= num_given) {
            return fmt::format(
                "\n  the kernel reads compile-time argument {}; the program gives {}", index,
                num_given);
        }
    }
    return "";
}

std::string missing_named_argument(const std::string& text, const std::string& given) {
    constexpr std::string_view kCall = "get_named_compile_time_arg_val(\"";
    for (std::size_t at = text.find(kCall); at != text.npos; at = text.find(kCall, at + 1)) {
        const std::size_t first = at + kCall.size();
        const std::string name = text.substr(first, text.find('"', first) - first);
        if (given.find("{\"" + name + "\",") == given.npos) {
            return fmt::format(
                "\n  the kernel reads the named compile-time argument '{}'; the program does not "
                "give it",
                name);
        }
    }
    return "";
}

// Returns what defines the macro, behind its '='; empty if nothing does.
std::string definition_of(const std::string& macro, const Command& options) {
    const std::string start = "-D" + macro + "=";
    const auto found = std::ranges::find_if(
        options, [&](const std::string& option) { return option.starts_with(start); });
    return found == options.end() ? "" : found->substr(start.size());
}

// Returns why a function of the called name does not take the call, from the compiler's note about
// it; empty for other lines.
std::string_view reason_of_candidate(std::string_view line) {
    if (line.find(": note: candidate ") == line.npos) {
        return "";
    }
    for (const std::string_view mark : {" not viable: ", " template ignored: "}) {
        if (const std::size_t at = line.find(mark); at != line.npos) {
            return line.substr(at + mark.size());
        }
    }
    return "";
}

}  // namespace

std::string first_errors(const std::string& output) {
    std::istringstream lines(output);
    std::string errors;
    std::string error;
    std::string caller;
    const auto add_error = [&] {
        errors += error.empty() ? "" : "\n  " + error;
        if (!caller.empty() && file_of(caller) != file_of(error)) {
            errors += fmt::format("; called at {}", caller);
        }
        caller.clear();
    };
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("error: ") != std::string::npos) {
            add_error();
            // A kernel that moves data must not call functions of ckernel by their whole name.
            error = line.substr(0, line.find("; did you mean 'ckernel::"));
            if (++count > kMaxErrors) {
                return errors;
            }
        } else if (line.ends_with(" requested here")) {
            caller = line.substr(0, line.find(": note: "));
        } else if (const auto reason = reason_of_candidate(line);
                   !reason.empty() && error.find(reason) == error.npos) {
            // Overloads often have the same reason, which is named once.
            error += fmt::format("; {}", reason);
        }
    }
    add_error();
    return errors;
}

std::string what_is_missing(const std::string& output, const CompileUnit& unit) {
    CompileErrors errors = compile_errors(output);
    const std::size_t num_shown = errors.names.size() + errors.defines.size();
    if (num_shown <= kMaxErrors && errors.others.empty()) {
        errors.names.clear();
        errors.defines.clear();
    }
    return missing_text(errors, unit.roots);
}

std::string missing_arguments(const std::string& output, const CompileUnit& unit) {
    const std::string args = definition_of("KERNEL_COMPILE_TIME_ARGS", unit.options);
    const auto commas = static_cast<std::size_t>(std::ranges::count(args, ','));
    // Notes have the calls of Tessera's headers, with the argument as a number.
    const std::string text = lines_at_fault(output, unit) + output;
    return missing_argument(text, args.empty() ? 0 : commas + 1) +
           missing_named_argument(text, definition_of("KERNEL_COMPILE_TIME_ARG_MAP", unit.options));
}

std::string complaint_of(const std::string& tool, const ProcessOutcome& outcome) {
    std::string errors = first_errors(outcome.output);
    if (!errors.empty()) {
        return errors;
    }
    const std::string end = fmt::format(" {} ended with exit status {}", tool, outcome.exit_code);
    return end + (outcome.output.empty() ? " without output" : ":\n" + outcome.output);
}

}  // namespace tessera
