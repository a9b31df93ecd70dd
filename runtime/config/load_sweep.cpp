// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/load_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/config/bind.hpp"
#include "runtime/config/field_table.hpp"
#include "runtime/config/load_tree.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

constexpr std::string_view kSweepKey = "sweep";
// A point is held as a whole run, with every key's origin: 60 KB each.
constexpr std::uint64_t kMaxPoints = 10000;

/// Binds the block `sweep:`. The number of points is checked before they are built.
SweepSpec bind_sweep(const Node& block, Resolved& resolved) {
    SweepSpec sweep;
    Binding binding;
    bind_fields(sweep_fields(), block, &sweep, "sweep.", binding);
    binding.violations.throw_if_any();
    if (sweep.grid.empty() && sweep.points.empty()) {
        throw ConfigError(to_string(block.origin) +
                          ": sweep: neither grid nor points; one of them is required");
    }
    if (const std::uint64_t count = num_points(sweep); count > kMaxPoints) {
        throw ConfigError(fmt::format("{}: sweep: has {} points, allowed: {} or fewer",
                                      to_string(block.origin), count, kMaxPoints));
    }
    resolved = std::move(binding.resolved);
    return sweep;
}

/// Removes the block, which is not a key of a run, and returns it.
Node take_block(Node& root) {
    if (root.find(kSweepKey) == nullptr) {
        throw ConfigError(to_string(root.origin) +
                          ": sweep: required key is missing: this file is one run");
    }
    return take(root, kSweepKey);
}

// Refuses a key that is set twice, since one of the values would be ignored in silence.
void refuse_keys_set_twice(const SweepSpec& sweep, std::span<const Override> overrides) {
    Violations violations;
    const auto refuse = [&](const Override& value, const std::string& rival) {
        violations.add({OriginKind::Override, value.origin, 0, 0}, value.path,
                       "is also set by " + rival + "; remove one of them");
    };
    for (const SweepSettings& settings : points_of(sweep)) {
        for (std::size_t i = 0; i < settings.size(); ++i) {
            const auto end = settings.begin() + static_cast<std::ptrdiff_t>(i);
            const auto first = std::find_if(settings.begin(), end, [&](const Override& other) {
                return other.path == settings[i].path;
            });
            if (first != end) {
                refuse(settings[i], first->origin);
            }
            const auto set = std::ranges::find(overrides, settings[i].path, &Override::path);
            if (set != overrides.end()) {
                refuse(settings[i], set->origin);
            }
        }
        violations.throw_if_any();
    }
}

/// Loads one point: the base tree with the point's settings.
SweepPoint load_point(Node root, SweepSettings settings, const std::filesystem::path& path,
                      ConfigFolders folders) {
    apply_all(settings, root);
    // A wrong key is a mistake of the file and ends the load. A broken rule makes this point
    // impossible, such as a K block that does not fit in L1; the other points run.
    BoundRun bound = bind_run(std::move(root), path, folders);
    SweepPoint point{std::move(settings), std::move(bound.loaded), 0, ""};
    try {
        bound.broken_rules.throw_if_any();
    } catch (const ConfigError& error) {
        point.impossible = error.what();
    }
    return point;
}

/// Returns the reason with '#' for each number, so that two values of a key give the same kind.
std::string kind_of(const std::string& reason) {
    std::string kind;
    for (const char c : reason) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit || kind.empty() || kind.back() != '#') {
            kind += is_digit ? '#' : c;
        }
    }
    return kind;
}

/// Checks that each point has the launch by whose time points are ranked. Checked at load: the name
/// was refused after two recordings (1 min 46 s) before.
void check_rank_by(const LoadedSweep& sweep) {
    const std::string& rank_by = sweep.sweep.rank_by;
    for (const SweepPoint& point : sweep.points) {
        std::vector<std::string> known = launch_names(point.loaded.pipeline);
        known.insert(known.begin(), "run");
        if (point.impossible.empty() && std::ranges::find(known, rank_by) == known.end()) {
            Violations violations;
            violations.add(
                find(sweep.resolved, "sweep.rank_by")->origin, "sweep.rank_by",
                fmt::format("unknown step {}, allowed: {}", rank_by, fmt::join(known, ", ")));
            violations.throw_if_any();
        }
    }
}

}  // namespace

std::vector<ImpossibleKind> impossible_kinds(const LoadedSweep& sweep) {
    // Up to 10000 points may break one rule. Each kind of reason is shown once, with the number of
    // its points.
    std::vector<ImpossibleKind> kinds;
    for (const SweepPoint& point : sweep.points) {
        const auto kind = std::ranges::find_if(kinds, [&](const ImpossibleKind& known) {
            return kind_of(known.reason) == kind_of(point.impossible);
        });
        if (kind != kinds.end()) {
            ++kind->num_points;
        } else if (!point.impossible.empty()) {
            kinds.push_back({1, point.impossible});
        }
    }
    return kinds;
}

std::string to_text(const std::vector<ImpossibleKind>& kinds) {
    std::string text;
    for (const auto& [num_points, reason] : kinds) {
        text +=
            fmt::format("\n  {} {}: {}", num_points, num_points == 1 ? "point" : "points", reason);
    }
    return text;
}

void require_possible(const LoadedSweep& sweep) {
    const bool is_possible = std::ranges::any_of(
        sweep.points, [](const SweepPoint& point) { return point.impossible.empty(); });
    require(is_possible, "{}: no point of the sweep can run:{}", sweep.name,
            to_text(impossible_kinds(sweep)));
}

bool is_sweep(const std::filesystem::path& path) {
    return read_map(path).find(kSweepKey) != nullptr;
}

SweepSpec read_sweep(const std::filesystem::path& path) {
    Node root = read_map(path);
    Resolved resolved;
    return bind_sweep(take_block(root), resolved);
}

LoadedSweep load_sweep(const std::filesystem::path& path, std::span<const Override> overrides,
                       ConfigFolders folders) {
    Node root = read_run(path, folders);
    apply_all(overrides, root);
    LoadedSweep loaded{.name = path.stem().string(), .sweep = {}, .points = {}, .resolved = {}};
    loaded.sweep = bind_sweep(take_block(root), loaded.resolved);
    refuse_keys_set_twice(loaded.sweep, overrides);
    // Each point starts from the same tree, so points do not depend on their order.
    for (SweepSettings& settings : points_of(loaded.sweep)) {
        // Points are bound before any of them runs, so that a wrong key ends the sweep at its
        // start.
        loaded.points.push_back(load_point(root, std::move(settings), path, folders));
    }
    check_rank_by(loaded);
    const std::size_t num_cases = std::max<std::size_t>(1, loaded.sweep.cases.size());
    for (std::size_t i = 0; i < loaded.points.size(); ++i) {
        // points_of() changes cases slowest, and each case has the same number of points.
        loaded.points[i].case_index = i * num_cases / loaded.points.size();
    }
    return loaded;
}

}  // namespace tessera::config
