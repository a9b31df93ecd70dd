// SPDX-License-Identifier: Apache-2.0
// State of a kernel's start, with kernels compiled from source.
#include "runtime/launch/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/mesh/mesh.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kScratch = 0x40000;

class Launch : public ::testing::Test {
protected:
    KernelHandle add_writer(Program& program, const char* text,
                            const CoreSpec& cores = CoreCoord{0, 0}) {
        return CreateKernelFromString(program, text, cores, WriterDataMovementConfig(), "test.cpp");
    }
    void run(const Program& program) {
        const std::vector<DeviceProgram> programs{{0, program}};
        session_.launch("test", programs);
    }
    std::uint32_t word(CoreCoord core, std::uint32_t address) {
        std::uint32_t value = 0;
        std::memcpy(&value, session_.emulated_mesh().device(0).core(core).l1(address), 4);
        return value;
    }

    EmulatedSession session_{MeshSpec{}, testing::small_arch(), SessionOptions{.threads = 1}};
};

TEST_F(Launch, EachCoreReadsItsOwnArgumentsAndTheCommonOnes) {
    Program program;
    const KernelHandle kernel = add_writer(program, R"(
        void kernel_main() {
            auto* out = reinterpret_cast<volatile uint32_t*>(0x40000);
            out[0] = get_arg_val<uint32_t>(0) + get_common_arg_val<uint32_t>(1);
        })",
                                           CoreRange({0, 0}, {1, 1}));
    for (const CoreCoord core : CoreRangeSet(CoreRange({0, 0}, {1, 1})).cores()) {
        SetRuntimeArgs(program, kernel, core, {10 * core.y + core.x});
    }
    SetCommonRuntimeArgs(program, kernel, {7, 500});

    run(program);

    EXPECT_EQ(word({1, 0}, kScratch), 501U);
    EXPECT_EQ(word({0, 1}, kScratch), 510U);
    EXPECT_EQ(word({1, 1}, kScratch), 511U);
}

// Matmul's senders in tt-metal flush after a multicast under #ifdef ARCH_BLACKHOLE.
TEST_F(Launch, AKernelSeesForWhichChipItIsCompiled) {
    Program program;
    add_writer(program, R"(
        #if defined(ARCH_BLACKHOLE) == defined(ARCH_WORMHOLE)
        #error one of them, not both
        #endif
        void kernel_main() {
        #ifdef ARCH_BLACKHOLE
            *reinterpret_cast<volatile uint32_t*>(0x40000) = 2;
        #else
            *reinterpret_cast<volatile uint32_t*>(0x40000) = 1;
        #endif
            reinterpret_cast<volatile uint32_t*>(0x40000)[1] = NOC_MAX_BURST_SIZE;
        })");
    const std::vector<DeviceProgram> programs{{0, program}};
    for (const auto& [architecture, expected, packet] :
         {std::tuple{"wormhole", 1U, 8192U}, std::tuple{"blackhole", 2U, 16384U}}) {
        ArchSpec arch = testing::small_arch();
        arch.architecture = architecture;
        arch.noc.max_packet = Bytes{packet};
        EmulatedSession session{MeshSpec{}, arch, SessionOptions{.threads = 1}};

        session.launch("test", programs);

        std::array<std::uint32_t, 2> words{};
        std::memcpy(words.data(), session.emulated_mesh().device(0).core({0, 0}).l1(kScratch), 8);
        EXPECT_EQ(words[0], expected) << architecture;
        EXPECT_EQ(words[1], packet) << architecture;
    }
}

TEST_F(Launch, ANullPointerOfAKernelIsItsFault) {
    Program program;
    add_writer(program, R"(
        void kernel_main() {
            volatile uint32_t* nowhere = nullptr;
            *nowhere = 1;
        })");

    EXPECT_THAT(
        [&] { run(program); },
        ::testing::ThrowsMessage<KernelError>(::testing::HasSubstr(
            "OutOfBounds: device 0 core (0,0) writer test.cpp:4: the kernel touches address "
            "0x0 of the host, outside of its core: a null pointer, or one that was "
            "computed wrongly")));
}

TEST_F(Launch, AComputeKernelSeesWhetherDstHas32Bits) {
    for (const bool has_fp32_dst : {false, true}) {
        Program program;
        CreateKernelFromString(program, R"(
            constexpr bool kHas32Bits = DST_ACCUM_MODE;
            void kernel_main() {
                *reinterpret_cast<volatile uint32_t*>(0x40000) = kHas32Bits ? 5 : 4;
            })",
                               CoreCoord{0, 0}, ComputeConfig{.fp32_dest_acc_en = has_fp32_dst},
                               "test.cpp");

        run(program);

        EXPECT_EQ(word({0, 0}, kScratch), has_fp32_dst ? 5U : 4U);
    }
}

TEST_F(Launch, ArgumentsLieInL1WhereTheKernelMayWriteThem) {
    Program program;
    const KernelHandle kernel = add_writer(program, R"(
        void kernel_main() {
            auto* args = reinterpret_cast<volatile uint32_t*>(get_arg_addr(0));
            args[1] += 5;
            *reinterpret_cast<volatile uint32_t*>(0x40000) = get_arg_val<uint32_t>(1);
        })");
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {1, 2});

    run(program);

    EXPECT_EQ(word({0, 0}, kScratch), 7U);
}

TEST_F(Launch, SemaphoresHaveTheirInitialValueAtEveryLaunch) {
    Program program;
    const std::uint32_t id = CreateSemaphore(program, CoreCoord{0, 0}, 3);
    const KernelHandle kernel = add_writer(program, R"(
        void kernel_main() {
            auto* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(
                get_semaphore(get_arg_val<uint32_t>(0)));
            noc_semaphore_wait(semaphore, 3);
            noc_semaphore_set(semaphore, 9);
        })");
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {id});

    EXPECT_NO_THROW(run(program));
    EXPECT_NO_THROW(run(program));
}

TEST_F(Launch, GlobalsBelongToOneCoreAndStartAnewAtEachLaunch) {
    Program program;
    add_writer(program, R"(
        uint32_t counter = 40;
        void kernel_main() {
            static uint32_t calls = 0;
            counter += 1 + calls++;
            *reinterpret_cast<volatile uint32_t*>(0x40000) = counter;
        })",
               CoreRange({0, 0}, {1, 1}));

    run(program);
    run(program);

    for (const CoreCoord core : CoreRangeSet(CoreRange({0, 0}, {1, 1})).cores()) {
        EXPECT_EQ(word(core, kScratch), 41U) << to_string(core);
    }
}

TEST_F(Launch, DivisionByZeroGivesWhatRiscVGives) {
    Program program;
    const KernelHandle kernel = add_writer(program, R"(
        void kernel_main() {
            const uint32_t zero = get_arg_val<uint32_t>(0);
            auto* out = reinterpret_cast<volatile uint32_t*>(0x40000);
            out[0] = 17 / zero;
            out[1] = 17 % zero;
        })");
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {0});

    run(program);

    EXPECT_EQ(word({0, 0}, kScratch), 0xFFFFFFFFU);
    EXPECT_EQ(word({0, 0}, kScratch + 4), 17U);
}

TEST_F(Launch, AKernelKnowsFormatsOfCbsThatAnyOfItsCoresHasAsConstantsOrNot) {
    Program program;
    const auto add_cb = [&](std::uint8_t index, CoreCoord core, DataFormat format) {
        CircularBufferConfig config(8192, {{index, format}});
        config.set_page_size(index, 4096);
        CreateCircularBuffer(program, core, config);
    };
    add_cb(0, {0, 0}, DataFormat::Bfp8_b);
    add_cb(3, {1, 0}, DataFormat::Float32);
    add_cb(5, {0, 1}, DataFormat::Float32);
    const CoreRange both({0, 0}, {1, 0});
    const char* const body = R"({
            KIND int32_t bytes[] = {get_tile_size(0), get_tile_size(3), get_tile_size(5)};
            KIND DataFormat absent = get_dataformat(5);
            auto* out = reinterpret_cast<volatile uint32_t*>(PLACE);
            out[0] = bytes[0];
            out[1] = bytes[1];
            out[2] = bytes[2];
            out[3] = static_cast<uint32_t>(absent);
        })";
    const std::string constant = std::string("#define KIND constexpr\n") +
                                 "#define PLACE 0x40000\nvoid kernel_main() " + body;
    const std::string asked =
        std::string("#define KIND const\n") + "#define PLACE 0x40010\nvoid kernel_main() " + body;
    CreateKernelFromString(program, constant, both, WriterDataMovementConfig(), "constant.cpp");
    CreateKernelFromString(program, asked, both, ReaderDataMovementConfig(), "asked.cpp");

    run(program);

    for (const CoreCoord core : CoreRangeSet(both).cores()) {
        for (const std::uint32_t place : {kScratch, kScratch + 16}) {
            EXPECT_EQ(word(core, place), 1088U);
            EXPECT_EQ(word(core, place + 4), 4096U);
            EXPECT_EQ(word(core, place + 8), 0U);
            EXPECT_EQ(word(core, place + 12), 255U) << "DataFormat::Invalid";
        }
    }
}

// As constants and as functions, on every kind of tile that differs: rows, columns, exponents.
TEST_F(Launch, KernelsKnowTheTilesOfTheirBuffers) {
    Program program = CreateProgram();
    const auto add_cb = [&](std::uint8_t index, DataFormat format, Tile tile) {
        CircularBufferConfig config(4096, {{index, format}});
        config.set_page_size(index, 1024).set_tile_dims(index, tile);
        CreateCircularBuffer(program, CoreCoord{0, 0}, config);
    };
    add_cb(0, DataFormat::Float16_b, Tile({16, 32}));
    add_cb(1, DataFormat::Bfp8_b, Tile({4, 16}));
    const char* const body = R"({
            KIND uint32_t tiles[] = {static_cast<uint32_t>(get_tile_size(0)), get_tile_hw(0),
                                     get_tile_num_faces(0),
                                     static_cast<uint32_t>(get_tile_size(1)), get_tile_hw(1),
                                     get_tile_num_faces(1)};
            auto* out = reinterpret_cast<volatile uint32_t*>(PLACE);
            for (uint32_t i = 0; i < 6; ++i) {
                out[i] = tiles[i];
            }
        })";
    const std::string constant = std::string("#define KIND constexpr\n") +
                                 "#define PLACE 0x40000\nvoid kernel_main() " + body;
    const std::string asked =
        std::string("#define KIND const\n") + "#define PLACE 0x40020\nvoid kernel_main() " + body;
    CreateKernelFromString(program, constant, CoreCoord{0, 0}, WriterDataMovementConfig(),
                           "constant.cpp");
    CreateKernelFromString(program, asked, CoreCoord{0, 0}, ReaderDataMovementConfig(),
                           "asked.cpp");

    run(program);

    for (const std::uint32_t place : {kScratch, kScratch + 32}) {
        EXPECT_EQ(word({0, 0}, place), 1024U);
        EXPECT_EQ(word({0, 0}, place + 4), 512U);
        EXPECT_EQ(word({0, 0}, place + 8), 2U);
        EXPECT_EQ(word({0, 0}, place + 12), 16U + 64U) << "four exponents, rounded up, and 64 B";
        EXPECT_EQ(word({0, 0}, place + 16), 64U);
        EXPECT_EQ(word({0, 0}, place + 20), 1U);
    }
}

TEST_F(Launch, AStoreBeyondL1NamesKernelCoreAndLine) {
    Program program;
    const KernelHandle kernel = add_writer(program, R"(
        void kernel_main() {
            const uint32_t address = get_arg_val<uint32_t>(0);
            *reinterpret_cast<volatile uint32_t*>(address) = 1;
        })",
                                           CoreCoord{1, 1});
    SetRuntimeArgs(program, kernel, CoreCoord{1, 1}, {0x16e000});

    try {
        run(program);
        FAIL() << "the store went through";
    } catch (const KernelError& error) {
        EXPECT_STREQ(error.what(),
                     "OutOfBounds: device 0 core (1,1) writer test.cpp:4: the kernel touches "
                     "address 0x16e000, but L1 ends at 0x16e000");
    }
}

TEST_F(Launch, L1KeepsItsBytesBetweenLaunches) {
    Program first;
    add_writer(first, "void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x40000) = 5; }");
    Program second;
    add_writer(second, R"(
        void kernel_main() {
            auto* out = reinterpret_cast<volatile uint32_t*>(0x40000);
            out[1] = out[0];
        })");

    run(first);
    run(second);

    EXPECT_EQ(word({0, 0}, kScratch + 4), 5U);
}

}  // namespace
}  // namespace tessera
