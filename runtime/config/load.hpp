// SPDX-License-Identifier: Apache-2.0
// Loads a configuration from its file, in four stages: read, bind, validate, freeze.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/override.hpp"
#include "runtime/config/resolved.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

struct LoadedArch {
    ArchSpec arch;
    TimingBounds timing;
    Resolved resolved;  ///< paths as in the file: "l1.size"
};

struct LoadedRun {
    RunSpec run;
    pipeline::PipelineSpec pipeline;
    ArchSpec arch;
    TimingBounds timing;
    Resolved resolved;  ///< run keys, then those of the arch file below "arch."
    Node tree;          ///< the run file's tree after `extends` and overrides
    /// Options "--set params.x=1" whose param nothing in this run uses.
    std::vector<std::string> unread_sets{};
};

/// Folders that hold `arch/` and `runs/`, in the order in which they are searched.
using ConfigFolders = std::span<const std::filesystem::path>;

/// Loads a run file and the arch file that its mesh.device names. That file is searched in
/// `../arch`, relative to the run file's folder, then in `arch/` of each of `folders`.
///
/// A run file with `extends: NAME` is merged over the run file of that name or path, map by map.
/// Names are searched in the file's folder, then in `runs/` of each of `folders`.
///
/// Overrides replace values of the run file; paths below `arch.` replace those of the arch file
/// ("arch.l1.size=1 MiB"). A run file may do the same under its key `arch`, with sources.
/// Errors   ConfigError with all violations, one a line: `file:line:column: key.path: …` or
///          `--set key.path=value: key.path: …`; UsageError if the file cannot be read.
[[nodiscard]] LoadedRun load_run(const std::filesystem::path& path,
                                 std::span<const Override> overrides = {},
                                 ConfigFolders folders = {});
/// Loads a run file with overrides in the form of the command line: "key.path=value".
[[nodiscard]] LoadedRun load_run(const std::filesystem::path& path,
                                 std::span<const std::string> sets, ConfigFolders folders = {});

/// Loads an arch file; overrides have the file's own key paths ("l1.size=1 MiB"). Files that it
/// extends are searched in its folder, then below the folders.
/// Errors   as load_run.
[[nodiscard]] LoadedArch load_arch(const std::filesystem::path& path,
                                   std::span<const Override> overrides = {},
                                   ConfigFolders folders = {});

/// Returns the names of the YAML files in a folder, without .yaml, sorted. Returns none for a
/// missing folder.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace tessera::config
