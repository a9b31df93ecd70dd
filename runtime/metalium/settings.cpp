// SPDX-License-Identifier: Apache-2.0
#include "runtime/metalium/settings.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "emu/base/fields/enum_names.hpp"
#include "runtime/config/bind.hpp"
#include "runtime/config/fields/run_fields.hpp"
#include "runtime/config/load_tree.hpp"
#include "runtime/config/run_rules.hpp"
#include "tessera/errors.hpp"

namespace tessera::metalium {
namespace {

std::uint64_t number_of(std::string_view text, std::string_view what) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    require(error == std::errc() && rest == text.data() + text.size(),
            "{} {}: allowed: a whole number", what, text);
    return number;
}

template <class E>
E enumerator_of(const std::string& text, std::string_view what) {
    std::string names;
    for (const auto& [name, value] : config::kEnumNames<E>) {
        if (name == text) {
            return value;
        }
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    throw UsageError(fmt::format("{} {}: allowed: {}", what, text, names));
}

/// The sections of a run file that a host program needs.
constexpr std::array kFileFields{
    config::section<&RunSpec::mesh>("mesh", config::kMeshFields, "devices and links"),
    config::section<&RunSpec::machine>("machine", config::kMachineFields,
                                       "freedom of the emulated machine"),
    config::section<&RunSpec::host>("host", config::kHostFields, "the machine that emulates"),
};

void read_file(Settings& settings, const std::string& text) {
    RunSpec spec;
    config::Binding binding;
    config::bind_fields(kFileFields, config::read_map(text), &spec, "", binding);
    binding.violations.throw_if_any();
    const std::filesystem::path device(spec.mesh.device);
    const std::filesystem::path beside = std::filesystem::path(text).parent_path() / device;
    settings.device = device.extension() == ".yaml" ? beside.string() : spec.mesh.device;
    settings.shape = spec.mesh.shape;
    settings.topology = spec.mesh.topology;
    settings.session.delivery = spec.machine.noc_delivery;
    settings.session.seed = spec.machine.delivery_seed;
    settings.session.unwritten_memory = spec.machine.unwritten_memory;
    settings.session.rules = spec.machine.rules;
    settings.session.progress_limit = spec.machine.progress_limit;
    settings.session.threads = spec.host.threads;
}
void read_device(Settings& settings, const std::string& text) {
    settings.device = text;
}
void read_mesh(Settings& settings, const std::string& text) {
    const std::size_t times = text.find('x');
    require(times != std::string::npos, "mesh {}: allowed: ROWSxCOLUMNS, such as 1x8", text);
    const std::uint64_t rows = number_of(text.substr(0, times), "rows of mesh");
    const std::uint64_t columns = number_of(text.substr(times + 1), "columns of mesh");
    // Extents first: their product may be beyond 64 bits.
    require(rows >= 1 && columns >= 1 && rows <= config::kMostDevices &&
                columns <= config::kMostDevices && rows * columns <= config::kMostDevices,
            "mesh {}: allowed: 1 to {} devices", text, config::kMostDevices);
    settings.shape =
        MeshShape{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)};
}
void read_topology(Settings& settings, const std::string& text) {
    settings.topology = enumerator_of<Topology>(text, "topology");
}
void read_sets(Settings& settings, const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        settings.sets.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
}
void read_delivery(Settings& settings, const std::string& text) {
    settings.session.delivery = enumerator_of<NocDelivery>(text, "delivery");
}
void read_seed(Settings& settings, const std::string& text) {
    settings.session.seed = number_of(text, "seed");
}
void read_memory(Settings& settings, const std::string& text) {
    settings.session.unwritten_memory = enumerator_of<UnwrittenMemory>(text, "unwritten memory");
}
void read_strict(Settings& settings, const std::string& text) {
    settings.session.rules = text == "0" ? ChipRules::AsOnChip : ChipRules::Strict;
}
void read_threads(Settings& settings, const std::string& text) {
    const std::uint64_t threads = number_of(text, "threads");
    require(threads >= 1 && threads <= config::kMostThreads, "threads {}: allowed: 1 to {}",
            threads, config::kMostThreads);
    settings.session.threads = static_cast<std::uint32_t>(threads);
}
void read_trace(Settings& settings, const std::string& text) {
    settings.trace = text;
}
void read_report(Settings& settings, const std::string& text) {
    settings.report = text;
}
void read_time(Settings& settings, const std::string& text) {
    settings.prints_time = text != "0";
}

constexpr std::array kRows{
    // The file comes first, so that the other settings replace its values.
    SettingRow{"--config", "TESSERA_CONFIG", "FILE",
               "Read `mesh`, `machine` and `host` from a YAML file, as run files have them",
               read_file},
    SettingRow{"--device", "TESSERA_DEVICE", "NAME",
               "Device model: one that `tessera list archs` shows, or a YAML file [wormhole_n150]",
               read_device},
    SettingRow{"--mesh", "TESSERA_MESH", "ROWSxCOLUMNS",
               "Devices of the emulated mesh [as the program opens]", read_mesh},
    SettingRow{"--topology", "TESSERA_TOPOLOGY", "NAME",
               "Links of the mesh: line, ring or torus [as SetFabricConfig says, or torus]",
               read_topology},
    SettingRow{"--set", "TESSERA_SET", "KEY=VALUE",
               "Replace a number of the device model: --set 'l1.size=1 MiB'; repeat the option",
               read_sets},
    SettingRow{"--delivery", "TESSERA_DELIVERY", "NAME",
               "When NoC transfers take effect: at_issue, at_barrier or random [at_barrier]",
               read_delivery},
    SettingRow{"--seed", "TESSERA_SEED", "N", "Seed of --delivery random [0]", read_seed},
    SettingRow{"--unwritten-memory", "TESSERA_UNWRITTEN_MEMORY", "NAME",
               "Bytes of new buffers: as_left or nan [as_left]", read_memory},
    SettingRow{"--strict", "TESSERA_STRICT", "",
               "End at the first behaviour that a chip tolerates, in place of noting it",
               read_strict},
    SettingRow{"--threads", "TESSERA_THREADS", "N",
               "Worker threads of the host [one for each of its cores]", read_threads},
    SettingRow{"--trace", "TESSERA_TRACE", "FILE",
               "Write the events of every kernel thread, for tessera retime", read_trace},
    SettingRow{"--report", "TESSERA_REPORT", "DIR",
               "Write report.html, report.json and trace.perfetto.json to a folder", read_report},
    SettingRow{"--time", "TESSERA_TIME", "",
               "Print the predicted time to standard error when the program ends", read_time},
};

}  // namespace

std::span<const SettingRow> setting_rows() noexcept {
    return kRows;
}

void read_setting(Settings& settings, const SettingRow& row, std::string_view name,
                  const std::string& text) {
    try {
        row.read(settings, text);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", name, error.what()));
    }
}

Settings settings_from_environment() {
    Settings settings;
    for (const SettingRow& row : kRows) {
        const char* text = std::getenv(row.variable);
        if (text != nullptr && *text != '\0') {
            read_setting(settings, row, row.variable, text);
        }
    }
    const char* profiler = std::getenv("TT_METAL_DEVICE_PROFILER");
    settings.profiles = profiler != nullptr && std::string(profiler) == "1";
    return settings;
}

}  // namespace tessera::metalium
