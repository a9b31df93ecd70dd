// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include "tt-metalium/assert.hpp"
#include "tt-metalium/base_types.hpp"

namespace tt {

namespace assert {

void fail(const Failure& failure, const std::string& message) {
    throw std::runtime_error(fmt::format("{} @ {}:{}: {}{}{}", failure.kind, failure.file,
                                         failure.line, failure.condition,
                                         message.empty() ? "" : "\ninfo:\n", message));
}

}  // namespace assert

namespace logging {

void print(std::string_view level, const std::string& text) {
    fmt::print("{} | {}\n", level, text);
    std::fflush(stdout);
}

bool shows_debug() {
    for (const char* name : {"TT_METAL_LOGGER_LEVEL", "TT_LOGGER_LEVEL"}) {
        const char* level = std::getenv(name);
        if (level != nullptr &&
            (strcasecmp(level, "debug") == 0 || strcasecmp(level, "trace") == 0)) {
            return true;
        }
    }
    return false;
}

}  // namespace logging

std::ostream& operator<<(std::ostream& stream, DataFormat format) {
    return stream << names::enum_name(format);
}
std::ostream& operator<<(std::ostream& stream, ARCH arch) {
    return stream << names::enum_name(arch);
}

void refuse_size(const char* call, DataFormat format) {
    throw std::runtime_error(fmt::format(
        "{}: {}: {}", call, format,
        format == DataFormat::Invalid ? "is not a format" : "elements share exponents"));
}

}  // namespace tt
