// SPDX-License-Identifier: Apache-2.0
// Settings of a host program: its emulated machine and its output files. Environment variables,
// which `tessera exec` sets, carry them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::metalium {

/// Machine, freedom of the emulation and outputs of one host program.
struct Settings {
    std::string device = "wormhole_n150";
    std::optional<MeshShape> shape;    ///< none: that of the first mesh that the program opens
    std::optional<Topology> topology;  ///< none: that of SetFabricConfig
    std::vector<std::string> sets;     ///< changes to the device model
    /// Programs that run on a card may do what it tolerates.
    SessionOptions session{.rules = ChipRules::AsOnChip};
    std::string trace;   ///< file for the events of all launches, or empty
    std::string report;  ///< folder for the report, or empty
    bool prints_time = false;
    bool profiles = false;  ///< DumpDeviceProfileResults writes predicted times
};

/// One setting: an option of `tessera exec`, and the variable that passes it to the program.
struct SettingRow {
    const char* option;
    const char* variable;
    const char* value;
    const char* about;
    void (*read)(Settings& settings, const std::string& text);
};

/// Returns all settings, in the order in which help shows them.
[[nodiscard]] std::span<const SettingRow> setting_rows() noexcept;

/// Reads the text of one setting; `name` is that of its option or its variable.
/// Errors   UsageError that begins with `name`, with the value and what is allowed.
void read_setting(Settings& settings, const SettingRow& row, std::string_view name,
                  const std::string& text);

/// Returns the settings of this process.
/// Errors   UsageError naming the variable, its value and what is allowed.
[[nodiscard]] Settings settings_from_environment();

}  // namespace tessera::metalium
