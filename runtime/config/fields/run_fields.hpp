// SPDX-License-Identifier: Apache-2.0
// The keys of configs/runs/*.yaml.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

/// A number in place of what each op says, or the word "op".
template <>
struct Value<std::optional<double>> {
    static constexpr JsonForm kJson = JsonForm::Literal;
    [[nodiscard]] static Parsed<std::optional<double>> parse(const Node& node) {
        if (node.kind == NodeKind::Scalar && node.text == "op") {
            return std::optional<double>();
        }
        const auto number = Value<double>::parse(node);
        if (const auto* mistake = std::get_if<Mistake>(&number)) {
            return *mistake;
        }
        return std::optional(std::get<double>(number));
    }
    [[nodiscard]] static std::string show(const std::optional<double>& value) {
        return value ? Value<double>::show(*value) : "op";
    }
    [[nodiscard]] static std::string allowed() { return "op, or a number"; }
};

inline constexpr std::array kMeshFields{
    field<&MeshSpec::device>("device", kRequired,
                             "model of all devices: the name of a file in configs/arch, or the "
                             "path of an arch file from the folder of the run file"),
    field<&MeshSpec::shape>("shape", kRequired,
                            "at most 256 devices; ids are row-major. If the file states it by "
                            "params, `--set mesh.shape` sets these, too",
                            Limits{1, 256}),
    field<&MeshSpec::topology>(
        "topology", "torus",
        "line: links between neighbours; ring: the single row or column is closed; torus: all rows "
        "and columns are closed"),
};

inline constexpr std::array kMachineFields{
    field<&MachineSpec::noc_delivery>(
        "noc_delivery", "at_barrier",
        "when NoC transfers take effect; correct kernels give the same result with each"),
    field<&MachineSpec::delivery_seed>("delivery_seed", "1", "seed of noc_delivery: random"),
    field<&MachineSpec::unwritten_memory>("unwritten_memory", "as_left",
                                          "content of tensors before the first write. as_left: "
                                          "previous content of the memory; nan: 0xFF in each "
                                          "byte, which is NaN, or an index out of range"),
    field<&MachineSpec::rules>(
        "rules", "as_on_chip",
        "behaviour of kernels that a chip tolerates (docs/emulation.md). as_on_chip: executed, and "
        "reported once for each line and kind; strict: an error"),
    field<&MachineSpec::progress_limit>(
        "progress_limit", "4000000",
        "a loop that only polls memory ends the run as a deadlock after this number of iterations "
        "in which nothing else advances. Unbounded loops that call the kernel API have 10 times "
        "this limit, unbounded loops that compute 32 times",
        Limits{1024, 1e15}),
};

inline constexpr std::uint32_t kMostThreads = 1024;
inline constexpr std::array kHostFields{
    field<&HostSpec::threads>("threads", "0", "worker threads; 0: one per core of the host",
                              Limits{0, kMostThreads}),
};

inline constexpr std::array kVerifyFields{
    field<&VerifySpec::level>("level", "every_step", "outputs that are compared with references"),
    field<&VerifySpec::min_pcc>(
        "min_pcc", "op", "least correlation with the reference; op: the tolerance of each op",
        Limits{-1, 1}),
    field<&VerifySpec::max_relative_error>(
        "max_relative_error", "op",
        "largest |error| of an element / max(|reference|, rms); op: the tolerance of each op",
        Limits{0, 1e30}),
};

inline constexpr std::array kRunFields{
    section<&RunSpec::mesh>("mesh", kMeshFields, "devices and links"),
    section<&RunSpec::machine>("machine", kMachineFields, "freedom of the emulated machine"),
    section<&RunSpec::host>("host", kHostFields, "the machine that emulates"),
    section<&RunSpec::verify>("verify", kVerifyFields, "what a run must meet to pass"),
};

}  // namespace tessera::config
