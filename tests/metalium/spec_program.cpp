// SPDX-License-Identifier: Apache-2.0
// A program as data: kernels with named arguments and a queue between them.
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <tt-metalium/experimental/metal2_host_api/program_spec.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "tests/metalium/mesh_host_programs.hpp"
#include "tests/metalium/mesh_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental::metal2_host_api;

namespace metalium_programs {
namespace {

constexpr NodeCoord kNode{6, 3};
constexpr std::uint32_t kPage = 1024;
constexpr std::uint32_t kPages = 8;

KernelSpec mover(const std::string& name, DataMovementProcessor processor, NOC noc) {
    KernelSpec spec;
    spec.unique_id = name;
    spec.source = KernelSpec::SourceFilePath{kernel("spec_" + name + ".cpp")};
    spec.target_nodes = kNode;
    spec.compile_time_arg_bindings = {{"page", kPage}};
    spec.config_spec = DataMovementConfiguration{
        .gen1_data_movement_config =
            DataMovementConfiguration::Gen1DataMovementConfig{.processor = processor, .noc = noc}};
    return spec;
}

ProgramSpec copy_spec() {
    KernelSpec producer = mover("producer", DataMovementProcessor::RISCV_0, NOC::NOC_0);
    producer.runtime_arguments_schema.named_runtime_args = {"source", "count"};
    producer.runtime_arguments_schema.named_common_runtime_args = {"step"};
    producer.runtime_arguments_schema.num_runtime_varargs = 2;
    producer.dfb_bindings = {{.dfb_spec_name = "queue",
                              .local_accessor_name = "out",
                              .endpoint_type = KernelSpec::DFBEndpointType::PRODUCER}};
    KernelSpec consumer = mover("consumer", DataMovementProcessor::RISCV_1, NOC::NOC_1);
    consumer.runtime_arguments_schema.num_runtime_varargs = 2;
    consumer.dfb_bindings = {{.dfb_spec_name = "queue",
                              .local_accessor_name = "in",
                              .endpoint_type = KernelSpec::DFBEndpointType::CONSUMER}};
    ProgramSpec spec;
    spec.program_id = "copy";
    spec.kernels = {producer, consumer};
    spec.dataflow_buffers = {DataflowBufferSpec{
        .unique_id = "queue", .target_nodes = kNode, .entry_size = kPage, .num_entries = 2}};
    return spec;
}

}  // namespace

bool program_from_a_spec() {
    const auto mesh = distributed::MeshDevice::create_unit_mesh(0);
    const InterleavedBufferConfig config{.device = mesh.get(),
                                         .size = kPages * kPage,
                                         .page_size = kPage,
                                         .buffer_type = BufferType::DRAM};
    const auto source = CreateBuffer(config);
    const auto target = CreateBuffer(config);
    std::vector<std::uint32_t> words(kPages * kPage / 4);
    std::iota(words.begin(), words.end(), 0U);
    detail::WriteToBuffer(source, words);
    Program program = MakeProgramFromSpec(copy_spec());
    ProgramRunParams params;
    params.kernel_run_params = {
        {.kernel_spec_name = "producer",
         .named_runtime_args = {{kNode, {{"count", kPages}, {"source", source->address()}}}},
         .named_common_runtime_args = {{"step", 1'000'000}},
         .runtime_varargs = {{kNode, {5, 7}}}},
        {.kernel_spec_name = "consumer",
         .runtime_varargs = {{kNode, {target->address(), kPages}}}}};
    SetProgramRunParameters(program, params);
    detail::LaunchProgram(mesh.get(), program);
    // A longer queue and another step, for the second launch of the same program.
    params.kernel_run_params[0].named_common_runtime_args["step"] = 3'000'000;
    params.dfb_run_params = {{.dfb_spec_name = "queue", .num_entries = 5}};
    SetProgramRunArgs(program, params);
    detail::LaunchProgram(mesh.get(), program);
    std::vector<std::uint32_t> result;
    detail::ReadFromBuffer(target, result);
    for (std::size_t i = 0; i < words.size(); i += kPage / 4) {
        words[i] += 3'000'007;
    }
    return result == words;
}

}  // namespace metalium_programs
