// SPDX-License-Identifier: Apache-2.0
// A configuration from its file: read, bind, validate, freeze.
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
    Node tree;          ///< of the run file with all that was laid over it
};

/// Folders that hold `arch/` and `runs/`, in the order in which they are searched.
using ConfigFolders = std::span<const std::filesystem::path>;

/// Loads a run file and the arch file that its mesh.device names, which is looked for in `../arch`
/// beside the run file's folder, then in `arch/` of each of `folders`.
///
/// A run file that says `extends: NAME` is laid over the run file of that name or path, map by map:
/// names are looked for beside the file, then in `runs/` of each of `folders`.
///
/// Overrides replace values of the run file; below `arch.` those of the arch file
/// ("arch.l1.size=1 MiB"). A run file may do the same under its key `arch`, with sources.
/// Errors   ConfigError with all violations, one a line: `file:line:column: key.path: …` or
///          `--set key.path=value: key.path: …`; UsageError if the file cannot be read.
[[nodiscard]] LoadedRun load_run(const std::filesystem::path& path,
                                 std::span<const Override> overrides = {},
                                 ConfigFolders folders = {});
/// The same, with overrides as the command line has them: "key.path=value".
[[nodiscard]] LoadedRun load_run(const std::filesystem::path& path,
                                 std::span<const std::string> sets, ConfigFolders folders = {});

/// Loads an arch file; overrides name its keys as they stand there ("l1.size=1 MiB"). Files that it
/// extends lie beside it, or below the folders.
/// Errors   as load_run.
[[nodiscard]] LoadedArch load_arch(const std::filesystem::path& path,
                                   std::span<const Override> overrides = {},
                                   ConfigFolders folders = {});

/// Names of the YAML files in a folder, without .yaml, sorted; empty if there is no such folder.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace tessera::config
