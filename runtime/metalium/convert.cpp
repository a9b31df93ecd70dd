// SPDX-License-Identifier: Apache-2.0
#include "runtime/metalium/convert.hpp"

#include <array>
#include <limits>

#include "tessera/errors.hpp"

namespace tessera::metalium {
namespace {

/// A format under both names. Raw formats move bits, as integers of their size do.
struct FormatRow {
    tt::DataFormat metalium;
    DataFormat tessera;
};
constexpr std::array kFormats{
    FormatRow{tt::DataFormat::Float32, DataFormat::Float32},
    FormatRow{tt::DataFormat::Float16_b, DataFormat::Float16_b},
    FormatRow{tt::DataFormat::Bfp8_b, DataFormat::Bfp8_b},
    FormatRow{tt::DataFormat::Bfp4_b, DataFormat::Bfp4_b},
    FormatRow{tt::DataFormat::Lf8, DataFormat::Lf8},
    FormatRow{tt::DataFormat::Fp8_e4m3, DataFormat::Fp8_e4m3},
    FormatRow{tt::DataFormat::Int32, DataFormat::Int32},
    FormatRow{tt::DataFormat::UInt32, DataFormat::UInt32},
    FormatRow{tt::DataFormat::UInt16, DataFormat::UInt16},
    FormatRow{tt::DataFormat::UInt8, DataFormat::UInt8},
    FormatRow{tt::DataFormat::Int8, DataFormat::Int8},
    FormatRow{tt::DataFormat::RawUInt32, DataFormat::UInt32},
    FormatRow{tt::DataFormat::RawUInt16, DataFormat::UInt16},
    FormatRow{tt::DataFormat::RawUInt8, DataFormat::UInt8},
};

std::string allowed_formats() {
    std::string names;
    for (const FormatRow& row : kFormats) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", row.metalium);
    }
    return names;
}

DataMovementProcessor to_tessera(tm::DataMovementProcessor processor) {
    require(processor == tm::DataMovementProcessor::RISCV_0 ||
                processor == tm::DataMovementProcessor::RISCV_1,
            "CreateKernel: a data movement kernel on {}, allowed: RISCV_0, RISCV_1", processor);
    return static_cast<DataMovementProcessor>(processor);
}

// Kernels branch on the mode by the constant of the vendor's build.
Defines defines_of(const tm::DataMovementConfig& config) {
    Defines defines = config.defines;
    if (config.noc_mode == tm::NOC_MODE::DM_DYNAMIC_NOC) {
        defines.try_emplace("NOC_MODE", "DM_DYNAMIC_NOC");
    }
    return defines;
}

KernelConfig converted(const tm::DataMovementConfig& config) {
    return DataMovementConfig{
        .processor = to_tessera(config.processor),
        .noc = static_cast<NOC>(config.noc),
        .compile_args = config.compile_args,
        .defines = defines_of(config),
        .named_compile_args = {config.named_compile_args.begin(), config.named_compile_args.end()}};
}

KernelConfig converted(const tm::ComputeConfig& config) {
    ComputeConfig compute{
        .math_fidelity = static_cast<MathFidelity>(config.math_fidelity),
        .fp32_dest_acc_en = config.fp32_dest_acc_en,
        .dst_full_sync_en = config.dst_full_sync_en,
        .unpack_to_dest_mode = {},
        .math_approx_mode = config.math_approx_mode,
        .compile_args = config.compile_args,
        .defines = config.defines,
        .named_compile_args = {config.named_compile_args.begin(), config.named_compile_args.end()}};
    for (const tm::UnpackToDestMode mode : config.unpack_to_dest_mode) {
        compute.unpack_to_dest_mode.push_back(static_cast<UnpackToDestMode>(mode));
    }
    return compute;
}

KernelConfig converted(const tm::EthernetConfig& /*config*/) {
    throw UsageError(
        "CreateKernel: EthernetConfig: Ethernet cores are not emulated, allowed: "
        "DataMovementConfig, ComputeConfig");
}

}  // namespace

CoreCoord to_tessera(const tm::CoreCoord& core) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    require(core.x <= kMost && core.y <= kMost, "core {}: allowed: coordinates below 2^32", core);
    return {static_cast<std::uint32_t>(core.x), static_cast<std::uint32_t>(core.y)};
}

CoreRangeSet to_tessera(const tm::CoreRangeSet& set) {
    std::vector<CoreRange> ranges;
    for (const tm::CoreRange& range : set.ranges()) {
        ranges.emplace_back(to_tessera(range.start_coord), to_tessera(range.end_coord));
    }
    return CoreRangeSet(std::move(ranges));
}

CoreRangeSet to_tessera(const tm::CoreSpecification& cores) {
    return std::visit([](const auto& some) { return to_tessera(tm::CoreRangeSet(some)); }, cores);
}

tm::CoreCoord to_metalium(const CoreCoord& core) {
    return {core.x, core.y};
}

tm::CoreRangeSet to_metalium(const CoreRangeSet& set) {
    std::vector<tm::CoreRange> ranges;
    for (const CoreRange& range : set.ranges()) {
        ranges.emplace_back(to_metalium(range.start_coord), to_metalium(range.end_coord));
    }
    return tm::CoreRangeSet(std::move(ranges));
}

DataFormat to_tessera(tt::DataFormat format) {
    for (const FormatRow& row : kFormats) {
        if (row.metalium == format) {
            return row.tessera;
        }
    }
    throw UsageError(
        fmt::format("data format {} is not emulated, allowed: {}", format, allowed_formats()));
}

CircularBufferConfig to_tessera(const tm::CircularBufferConfig& config) {
    std::map<std::uint8_t, DataFormat> formats;
    for (const auto& [index, format] : config.formats()) {
        formats.emplace(index, to_tessera(format));
    }
    CircularBufferConfig converted(config.total_size(), std::move(formats));
    for (const auto& [index, page_size] : config.page_sizes_by_index()) {
        converted.set_page_size(index, page_size);
    }
    for (const auto& [index, tile] : config.tiles_by_index()) {
        converted.set_tile_dims(index, Tile(tile.get_tile_shape()));
    }
    converted.globally_allocated_address = config.globally_allocated_address();
    return converted;
}

KernelConfig to_tessera(const tm::KernelConfig& config) {
    return std::visit([](const auto& some) { return converted(some); }, config);
}

}  // namespace tessera::metalium
