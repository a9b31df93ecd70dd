// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include "tt-metalium/assert.hpp"
#include "tt-metalium/base_types.hpp"
#include "tt-metalium/constants.hpp"

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

std::uint32_t datum_size(DataFormat format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32:
            return 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::RawUInt16:
            return 2;
        case DataFormat::Int8:
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::UInt8:
        case DataFormat::RawUInt8:
            return 1;
        default:
            throw std::runtime_error(
                fmt::format("datum_size: {}: elements share exponents", format));
    }
}

std::uint32_t tile_size(DataFormat format) {
    constexpr std::uint32_t kExponents = constants::BFLOAT8_B_TILE_HW - constants::TILE_HW;
    switch (format) {
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
            return constants::TILE_HW + kExponents;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
            return constants::TILE_HW / 2 + kExponents;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
            return constants::TILE_HW / 4 + kExponents;
        default:
            return constants::TILE_HW * datum_size(format);
    }
}

}  // namespace tt
