// SPDX-License-Identifier: Apache-2.0
// Messages of the vendor's host API for mistakes of a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/metalium/program_state.hpp"
#include "tt-metalium/distributed.hpp"
#include "tt-metalium/fabric.hpp"
#include "tt-metalium/global_circular_buffer.hpp"
#include "tt-metalium/program_spec.hpp"
#include "tt-metalium/tt_metal.hpp"

namespace tt::tt_metal {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// A device that is closed after each test.
class HostApi : public testing::Test {
protected:
    ~HostApi() override { CloseDevice(device); }

    [[nodiscard]] std::shared_ptr<Buffer> buffer(DeviceAddr size, BufferType type) const {
        return CreateBuffer(InterleavedBufferConfig{
            .device = device, .size = size, .page_size = 1024, .buffer_type = type});
    }

    IDevice* device = CreateDevice(0);
    Program program;
};

TEST_F(HostApi, NamesTheDevicesOfTheMesh) {
    EXPECT_THAT([] { CreateDevice(3); },
                ThrowsMessage<std::runtime_error>(
                    "device 3: the mesh has 1 x 1 devices, allowed: 0 to 0; tessera exec --mesh "
                    "ROWSxCOLUMNS gives more"));
    EXPECT_THAT([] { CreateDevice(0); },
                ThrowsMessage<std::runtime_error>("CreateDevice: device 0 is open"));
    EXPECT_THAT(
        [] {
            static_cast<void>(distributed::MeshDevice::create(
                distributed::MeshDeviceConfig(distributed::MeshShape(2, 4))));
        },
        ThrowsMessage<std::runtime_error>(
            "a mesh of 2 x 4 devices from (0,0) on: the emulated mesh has 1 x 1; tessera exec "
            "--mesh ROWSxCOLUMNS gives more"));
}

TEST_F(HostApi, EqualTextsOfKernelsHaveOneNameAndAreCompiledOnce) {
    CreateKernelFromString(program, "void kernel_main() {}", CoreCoord(0, 0), DataMovementConfig{});
    CreateKernelFromString(program, "void kernel_main(){}", CoreCoord(1, 0), DataMovementConfig{});
    CreateKernelFromString(program, "void kernel_main() {}", CoreCoord(2, 0), DataMovementConfig{});

    const auto& kernels = program.state().program.kernels;
    EXPECT_EQ(kernels[2].source, kernels[0].source);
    EXPECT_NE(kernels[1].source, kernels[0].source);
}

TEST_F(HostApi, RefusesAFabricWithOtherLinksThanThoseOfAnOpenDevice) {
    EXPECT_THAT([] { tt_fabric::SetFabricConfig(tt_fabric::FabricConfig::FABRIC_1D); },
                ThrowsMessage<std::runtime_error>(
                    "SetFabricConfig(FABRIC_1D) asks for the links of a line, but a device was "
                    "opened before, with the links of a torus; call it before the first device is "
                    "opened"));
    EXPECT_THAT([] { tt_fabric::SetFabricConfig(tt_fabric::FabricConfig::FABRIC_2D_TORUS_X); },
                ThrowsMessage<std::runtime_error>(
                    "SetFabricConfig(FABRIC_2D_TORUS_X): allowed: DISABLED, FABRIC_1D, "
                    "FABRIC_1D_NEIGHBOR_EXCHANGE, FABRIC_1D_RING, FABRIC_2D, FABRIC_2D_TORUS_XY"));
    EXPECT_THAT([] { static_cast<void>(tt_fabric::get_fabric_topology()); },
                ThrowsMessage<std::runtime_error>(
                    "get_fabric_topology: the fabric is disabled; call SetFabricConfig"));
}

TEST_F(HostApi, NamesTheDevicesThatNoRouteReaches) {
    const tt_fabric::FabricNodeId first(tt_fabric::MeshId(0), 0);
    const tt_fabric::FabricNodeId second(tt_fabric::MeshId(0), 1);
    EXPECT_THAT([&] { static_cast<void>(tt_fabric::get_forwarding_link_indices(first, second)); },
                ThrowsMessage<std::runtime_error>(
                    "no route from device 0 to device 1: the mesh has devices 0 to 0"));
}

TEST(MeshCoordinate, NeighborsBeyondTheEdge) {
    using distributed::MeshCoordinate;
    using Mode = MeshCoordinate::BoundaryMode;
    const distributed::MeshShape shape(2, 4);
    const MeshCoordinate last(1, 3);

    EXPECT_EQ(last.get_neighbor(shape, -2, 1), MeshCoordinate(1, 1));
    EXPECT_EQ(last.get_neighbor(shape, 1, 1, Mode::WRAP), MeshCoordinate(1, 0));
    EXPECT_EQ(last.get_neighbor(shape, 1, -2, Mode::CLAMP), last);
    EXPECT_EQ(last.get_neighbor(shape, 1, 0, Mode::NONE), std::nullopt);
}

TEST_F(HostApi, NamesTheFoldersInWhichAKernelWasSearched) {
    EXPECT_THAT(
        [&] { CreateKernel(program, "none/of_these.cpp", CoreCoord(0, 0), ComputeConfig{}); },
        ThrowsMessage<std::runtime_error>(testing::AllOf(
            HasSubstr("CreateKernel: none/of_these.cpp: no such file below "),
            HasSubstr("; set TT_METAL_HOME to the folder that the path starts from"))));
}

TEST_F(HostApi, ListsEachSearchedFolderOnce) {
    const std::string here = std::filesystem::current_path().string();
    setenv("TT_METAL_HOME", here.c_str(), 1);
    std::string message;
    try {
        CreateKernel(program, "none/of_these.cpp", CoreCoord(0, 0), ComputeConfig{});
    } catch (const std::runtime_error& error) {
        message = error.what();
    }
    unsetenv("TT_METAL_HOME");

    const std::string listed = " " + here + ",";
    const std::size_t first = message.find(listed);
    EXPECT_NE(first, std::string::npos) << message;
    EXPECT_EQ(message.find(listed, first + 1), std::string::npos) << message;
}

TEST_F(HostApi, WritesAGlobalSemaphoreOnEachOfItsCores) {
    const CoreRange cores({1, 2}, {2, 3});
    const GlobalSemaphore semaphore = CreateGlobalSemaphore(device, CoreRangeSet(cores), 7);
    const auto address = static_cast<std::uint32_t>(semaphore.address());
    const auto values = [&] {
        std::vector<std::uint32_t> all;
        for (const CoreCoord& core : cores) {
            std::vector<std::uint32_t> word;
            detail::ReadFromDeviceL1(device, core, address, 4, word);
            all.push_back(word.front());
        }
        return all;
    };

    EXPECT_THAT(values(), testing::ElementsAre(7U, 7U, 7U, 7U));
    semaphore.reset_semaphore_value(3);
    EXPECT_THAT(values(), testing::ElementsAre(3U, 3U, 3U, 3U));
}

TEST_F(HostApi, GivesACoreOneEndOfAGlobalCircularBuffer) {
    const CoreRangeSet receivers(CoreRange({1, 0}, {2, 0}));

    EXPECT_THAT(
        [&] {
            (void)experimental::CreateGlobalCircularBuffer(
                device, {{CoreCoord(0, 0), receivers}, {CoreCoord(2, 0), receivers}}, 4096);
        },
        ThrowsMessage<std::runtime_error>(
            "GlobalCircularBuffer: core (x=1,y=0) has two ends, allowed: one"));
    EXPECT_THAT(
        [&] {
            (void)experimental::CreateGlobalCircularBuffer(
                device, {{CoreCoord(0, 0), CoreRangeSet()}}, 4096);
        },
        ThrowsMessage<std::runtime_error>(
            "GlobalCircularBuffer: sender (x=0,y=0) has no receiver"));
}

TEST_F(HostApi, RefusesKernelsWithoutAnEndOfAGlobalCircularBuffer) {
    const auto shared = experimental::CreateGlobalCircularBuffer(
        device, {{CoreCoord(0, 0), CoreRangeSet(CoreRange({1, 0}, {2, 0}))}}, 4096);
    CircularBufferConfig config(4096);
    config.remote_index(31).set_page_size(1024);

    EXPECT_EQ(shared.receiver_cores().num_cores(), 2U);
    EXPECT_EQ(shared.sender_cores().num_cores(), 1U);
    EXPECT_THAT(
        [&] { experimental::CreateCircularBuffer(program, CoreCoord(3, 0), config, shared); },
        ThrowsMessage<std::runtime_error>(
            "CreateCircularBuffer: core (x=3,y=0) has no end of the global circular buffer"));
    EXPECT_THAT(
        [&] {
            experimental::CreateCircularBuffer(program, CoreCoord(1, 0), CircularBufferConfig(4096),
                                               shared);
        },
        ThrowsMessage<std::runtime_error>(
            "CreateCircularBuffer: no remote_index with a page size"));
}

TEST_F(HostApi, ChangesNoOtherBufferForOneWithRemoteIndicesOnly) {
    const auto shared = experimental::CreateGlobalCircularBuffer(
        device, {{CoreCoord(0, 0), CoreRangeSet(CoreRange({1, 0}, {2, 0}))}}, 4096);
    CircularBufferConfig config(4096);
    config.remote_index(31).set_page_size(1024);
    const CBHandle remote =
        experimental::CreateCircularBuffer(program, CoreCoord(1, 0), config, shared);
    const CBHandle local = CreateCircularBuffer(
        program, CoreCoord(1, 0),
        CircularBufferConfig(2048, {{0, tt::DataFormat::Float16_b}}).set_page_size(0, 2048));

    EXPECT_THAT([&] { UpdateCircularBufferTotalSize(program, remote, 8192); },
                ThrowsMessage<std::runtime_error>(
                    "a circular buffer with remote indices only: its size and its address are "
                    "those of the global circular buffer; add a local index to change one"));
    EXPECT_EQ(GetCircularBufferConfig(program, local).total_size(), 2048U);
}

TEST_F(HostApi, RefusesPagesThatAGlobalCircularBufferCannotHold) {
    const auto shared = experimental::CreateGlobalCircularBuffer(
        device, {{CoreCoord(0, 0), CoreRangeSet(CoreRange({1, 0}, {2, 0}))}}, 4096);
    CircularBufferConfig config(4096);
    config.remote_index(31).set_page_size(8192);

    EXPECT_THAT(
        [&] { config.remote_index(30).set_page_size(0); },
        ThrowsMessage<std::runtime_error>("CircularBufferConfig: remote index 30: page size 0"));
    EXPECT_THAT(
        [&] { experimental::CreateCircularBuffer(program, CoreCoord(1, 0), config, shared); },
        ThrowsMessage<std::runtime_error>("CreateCircularBuffer: remote index 31: pages of 8192 B; "
                                          "allowed: multiples of 16 up to "
                                          "the 4096 B of the buffer"));
}

TEST_F(HostApi, RefusesKernelsOfEthernetCores) {
    EXPECT_THAT(
        [&] {
            CreateKernelFromString(program, "void kernel_main() {}", CoreCoord(0, 0),
                                   EthernetConfig{});
        },
        ThrowsMessage<std::runtime_error>(
            "CreateKernel: EthernetConfig: Ethernet cores are not emulated, allowed: "
            "DataMovementConfig, ComputeConfig"));
}

TEST_F(HostApi, NamesTheFormatsOfCircularBuffers) {
    const CircularBufferConfig config =
        CircularBufferConfig(2048, {{0, DataFormat::Float16}}).set_page_size(0, 1024);

    EXPECT_THAT([&] { CreateCircularBuffer(program, CoreCoord(0, 0), config); },
                ThrowsMessage<std::runtime_error>(HasSubstr(
                    "data format Float16 is not emulated, allowed: Float32, Float16_b, Bfp8_b")));
}

TEST_F(HostApi, RefusesCircularBuffersOverDram) {
    const auto dram = buffer(1024, BufferType::DRAM);

    EXPECT_THAT(
        [&] {
            CircularBufferConfig(1024, {{0, DataFormat::UInt8}})
                .set_globally_allocated_address(*dram);
        },
        ThrowsMessage<std::runtime_error>(
            "CircularBufferConfig: a buffer in DRAM, allowed: buffers in L1"));
}

TEST_F(HostApi, RefusesBuffersOfPartsOfPages) {
    EXPECT_THAT([&] { static_cast<void>(buffer(1000, BufferType::L1)); },
                ThrowsMessage<std::runtime_error>(
                    "CreateBuffer: 1000 bytes in pages of 1024, allowed: a multiple of the page "
                    "size, not 0"));
    EXPECT_THAT([&] { static_cast<void>(buffer(1024, BufferType::TRACE)); },
                ThrowsMessage<std::runtime_error>(
                    "CreateBuffer: a buffer in TRACE, allowed: DRAM, L1, L1_SMALL"));
}

TEST_F(HostApi, RefusesTransfersPastTheEnd) {
    const auto pages = buffer(4096, BufferType::DRAM);
    std::vector<std::uint32_t> part;

    EXPECT_THAT(
        [&] {
            EnqueueReadSubBuffer(device->command_queue(), pages, part, BufferRegion(4000, 100),
                                 true);
        },
        ThrowsMessage<std::runtime_error>("bytes 4000 to 4100 of a buffer of 4096 bytes"));
    EXPECT_THAT([&] { detail::ReadFromDeviceL1(device, CoreCoord(0, 0), 0x16DFFC, 8, part); },
                ThrowsMessage<std::runtime_error>(
                    "L1 of core (x=0,y=0): bytes 0x16dffc to 0x16e004, allowed: 0 to 0x16e000"));
}

TEST_F(HostApi, WritesAShortVectorAsFarAsItGoes) {
    const auto pages = buffer(2048, BufferType::DRAM);
    testing::internal::CaptureStderr();

    EnqueueWriteBuffer(device->command_queue(), pages, std::vector<std::uint32_t>(512, 1), true);
    EnqueueWriteBuffer(device->command_queue(), pages, std::vector<std::uint32_t>(2, 7), true);

    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "warning: a host vector of 8 bytes for a transfer of 2048; the rest of the buffer "
              "keeps its bytes\n");
    std::vector<std::uint32_t> words;
    EnqueueReadBuffer(device->command_queue(), pages, words, true);
    EXPECT_EQ(words[1], 7U);
    EXPECT_EQ(words[2], 1U);
}

TEST_F(HostApi, ReleasesBuffersWhenTheDeviceCloses) {
    const auto pages = buffer(4096, BufferType::DRAM);

    CloseDevice(device);

    EXPECT_FALSE(pages->is_allocated());
    device = CreateDevice(0);
    EXPECT_EQ(buffer(4096, BufferType::DRAM)->address(), pages->address());
}

TEST_F(HostApi, AlignsBuffersInL1To64Bytes) {
    const auto small = CreateBuffer(InterleavedBufferConfig{
        .device = device, .size = 16, .page_size = 16, .buffer_type = BufferType::L1});

    EXPECT_EQ(small->address() % 64, 0U);
    EXPECT_EQ(small->buffer_layout(), TensorMemoryLayout::INTERLEAVED);
}

TEST_F(HostApi, RefusesProgramsOfOneMeshThatOverlap) {
    using distributed::MeshCoordinateRange;
    distributed::MeshWorkload workload;
    workload.add_program(MeshCoordinateRange(distributed::MeshShape(1, 2)), Program());

    EXPECT_THAT(
        [&] {
            workload.add_program(MeshCoordinateRange(distributed::MeshCoordinate(0, 1)), Program());
        },
        ThrowsMessage<std::runtime_error>(
            "add_program: [MeshCoordinate([0, 1]), MeshCoordinate([0, 1])] overlaps "
            "[MeshCoordinate([0, 0]), MeshCoordinate([0, 1])], which has a program"));
}

TEST_F(HostApi, RefusesFieldsOfASpecThatWouldHaveNoEffect) {
    namespace metal2 = experimental::metal2_host_api;
    const auto refusal_of = [](const auto& spoil) {
        metal2::KernelSpec kernel;
        kernel.unique_id = "reader";
        metal2::ProgramSpec spec;
        spec.kernels = {kernel};
        spoil(spec);
        try {
            static_cast<void>(metal2::MakeProgramFromSpec(spec));
        } catch (const std::runtime_error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };

    EXPECT_EQ(refusal_of([](auto& spec) { spec.kernels[0].num_threads = 2; }),
              "kernel reader: num_threads is 2; allowed: 1, since these chips run one thread of a "
              "kernel on a core");
    EXPECT_EQ(refusal_of(
                  [](auto& spec) { spec.kernels[0].compiler_options.include_paths = {"include"}; }),
              "kernel reader: include_paths has 1 folders; allowed: none. TESSERA_INCLUDE_PATH "
              "names folders for all kernels");
    EXPECT_EQ(refusal_of([](auto& spec) {
                  metal2::DataflowBufferSpec buffer;
                  buffer.unique_id = "queue";
                  buffer.entry_size = 1U << 16U;
                  buffer.num_entries = 1U << 16U;
                  spec.dataflow_buffers = {buffer};
              }),
              "dataflow buffer queue: 65536 entries of 65536 B; allowed: less than 4 GiB in all");
}

TEST_F(HostApi, TellsThatAFatalCheckFailed) {
    const auto fail = [] { TT_FATAL(1 + 1 == 3, "sum of {} and {}", 1, 1); };

    EXPECT_THAT(fail, ThrowsMessage<std::runtime_error>(
                          testing::AllOf(HasSubstr("TT_FATAL @ "), HasSubstr(": 1 + 1 == 3"),
                                         testing::EndsWith("info:\nsum of 1 and 1"))));
}

}  // namespace
}  // namespace tt::tt_metal
