// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_op.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "emu/base/tensor_file/dtype.hpp"
#include "runtime/pipeline/make_session.hpp"
#include "runtime/pipeline/output_check.hpp"
#include "runtime/pipeline/single_op.hpp"
#include "runtime/report/core_figures.hpp"
#include "runtime/session/page_codec.hpp"

namespace tessera::run {
namespace {

using Clock = std::chrono::steady_clock;

std::string output_name(std::size_t device) {
    return fmt::format("d{}.output", device);
}

/// 32×32 tiles that the output of one device covers.
std::uint64_t output_tiles(const SingleOp& op) {
    return TensorSpec{op.output.shape, DataFormat::Float16_b, Layout::TILE}.num_pages();
}

std::vector<PlacedOp> place_all(const SingleOp& op, EmulatedSession& session, Maths maths) {
    std::vector<PlacedOp> placed;
    for (std::uint32_t device = 0; device < session.mesh().shape.num_devices(); ++device) {
        placed.push_back(op.place(session, device, maths));
    }
    return placed;
}

LaunchResult launch(const SingleOp& op, const std::vector<PlacedOp>& placed,
                    EmulatedSession& session) {
    std::vector<DeviceProgram> programs;
    for (std::uint32_t device = 0; device < placed.size(); ++device) {
        programs.push_back({device, placed[device].program});
    }
    return session.launch(std::string(op.op->name), programs);
}

report::StepRecord record_of(const SingleOp& op, const LaunchResult& result,
                             std::size_t num_devices) {
    return {.name = std::string(op.op->name),
            .op = std::string(op.op->name),
            .schedule = op.schedule,
            .num_cores = static_cast<std::uint32_t>(result.cores.size()),
            .output_tiles = output_tiles(op) * num_devices,
            .host_seconds = result.host_seconds,
            .check = std::nullopt};
}

void check(const SingleOp& op, const std::vector<PlacedOp>& placed, const EmulatedSession& session,
           const VerifySpec& verify, report::StepRecord& step) {
    if (verify.level == VerifyLevel::Off) {
        return;
    }
    const auto start = Clock::now();
    std::vector<CheckedOutput> outputs;
    for (const PlacedOp& device : placed) {
        outputs.push_back({session.read(device.output), device.reference()});
    }
    step.check = check_outputs(outputs, *op.op, verify);
    step.verify_seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

void write(const std::vector<PlacedOp>& placed, const EmulatedSession& session,
           SafetensorsWriter* outputs) {
    for (std::size_t device = 0; outputs != nullptr && device < placed.size(); ++device) {
        outputs->append(output_name(device), session.read(placed[device].output).bytes);
    }
}

}  // namespace

std::vector<TensorDeclaration> op_output_tensors(const config::LoadedRun& loaded) {
    const TensorSpec output = single_op(loaded.run, loaded.arch).output;
    std::vector<TensorDeclaration> tensors;
    for (std::uint32_t device = 0; device < loaded.run.mesh.shape.num_devices(); ++device) {
        tensors.push_back(
            {output_name(device), dtype_of(host_format(output.format)), output.shape});
    }
    return tensors;
}

report::RunRecord run_op(const config::LoadedRun& loaded, const RunModes& modes,
                         SafetensorsWriter* outputs, const OnStep& on_step) {
    EmulatedSession session = make_session(loaded, modes);
    const SingleOp op = single_op(loaded.run, loaded.arch);
    const std::vector<PlacedOp> placed = place_all(op, session, modes.maths);
    on_step({1, 1, std::string(op.op->name)});
    const LaunchResult result = launch(op, placed, session);

    report::RunRecord record{.run = loaded.run,
                             .arch = loaded.arch,
                             .resolved = loaded.resolved,
                             .maths = modes.maths,
                             .num_threads = session.num_threads()};
    record.steps.push_back(record_of(op, result, placed.size()));
    check(op, placed, session, verify_of(loaded.run, modes), record.steps.back());
    write(placed, session, outputs);
    record.cores = report::sum_by_core(result.cores, loaded.run.mesh.shape.num_devices(),
                                       loaded.arch.workers.compute);
    record.host.launch = result.host_seconds;
    record.host.verify = record.steps.back().verify_seconds;
    return record;
}

}  // namespace tessera::run
