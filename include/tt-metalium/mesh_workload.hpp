// SPDX-License-Identifier: Apache-2.0
// Programs for parts of a mesh, launched together.
#pragma once

#include <memory>
#include <unordered_map>

#include "tt-metalium/mesh_coord.hpp"
#include "tt-metalium/program.hpp"

namespace tt::tt_metal::distributed {

class MeshWorkload {
public:
    /// Adds a program that runs on the devices of a range.
    /// Errors   std::runtime_error if the range overlaps that of another program.
    void add_program(const MeshCoordinateRange& range, Program&& program);
    [[nodiscard]] std::unordered_map<MeshCoordinateRange, Program>& get_programs() {
        return programs_;
    }
    [[nodiscard]] const std::unordered_map<MeshCoordinateRange, Program>& get_programs() const {
        return programs_;
    }

private:
    std::unordered_map<MeshCoordinateRange, Program> programs_;
};

/// Returns an empty workload, for older programs.
[[nodiscard]] inline MeshWorkload CreateMeshWorkload() {
    return {};
}
inline void AddProgramToMeshWorkload(MeshWorkload& workload, Program&& program,
                                     const MeshCoordinateRange& range) {
    workload.add_program(range, std::move(program));
}

}  // namespace tt::tt_metal::distributed
