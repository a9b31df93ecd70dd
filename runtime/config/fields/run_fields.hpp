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
                             "the model of all devices: the name of a file in configs/arch, or the "
                             "path of an arch file, from the run file's folder"),
    field<&MeshSpec::shape>("shape", kRequired, "devices, 256 at most; ids are row-major",
                            Limits{1, 256}),
    field<&MeshSpec::topology>(
        "topology", "torus",
        "line: neighbours only; ring: the one row or column is closed; torus: all are closed"),
};

inline constexpr std::array kMachineFields{
    field<&MachineSpec::noc_delivery>(
        "noc_delivery", "at_barrier",
        "when NoC transfers take effect; a correct kernel does not show the difference"),
    field<&MachineSpec::delivery_seed>("delivery_seed", "1", "of noc_delivery random"),
    field<&MachineSpec::unwritten_memory>("unwritten_memory", "as_left",
                                          "what tensors hold that nobody wrote: what was in the "
                                          "memory before, or 0xFF in every byte, "
                                          "which is NaN, and out of range as an index; a correct "
                                          "kernel does not show the difference"),
    field<&MachineSpec::progress_limit>(
        "progress_limit", "4000000",
        "rounds that a kernel's loop may make that only polls memory, while nothing else goes on; "
        "a loop without a known bound may make 10 times as many if it calls the kernel API, and "
        "256 "
        "times as many if it computes; more end the run as a deadlock that names its line",
        Limits{1024, 1e15}),
};

inline constexpr std::array kHostFields{
    field<&HostSpec::threads>("threads", "0", "worker threads; 0 is one for each host core",
                              Limits{0, 1024}),
};

inline constexpr std::array kVerifyFields{
    field<&VerifySpec::level>("level", "every_step", "what is compared with its reference"),
    field<&VerifySpec::min_pcc>(
        "min_pcc", "op", "least correlation with the reference; op: as the tolerance of each op",
        Limits{-1, 1}),
    field<&VerifySpec::max_relative_error>(
        "max_relative_error", "op",
        "largest |error| of an element / max(|reference|, rms); op: as the tolerance of each op",
        Limits{0, 1e30}),
};

inline constexpr std::array kRunFields{
    section<&RunSpec::mesh>("mesh", kMeshFields, "devices and links"),
    section<&RunSpec::machine>("machine", kMachineFields, "freedom of the emulated machine"),
    section<&RunSpec::host>("host", kHostFields, "the machine that emulates"),
    section<&RunSpec::verify>("verify", kVerifyFields, "what a run must meet to pass"),
};

}  // namespace tessera::config
