// SPDX-License-Identifier: Apache-2.0
// Kernels that would end or corrupt the process, with the whole message of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/launch/kernel_error_of.hpp"

namespace tessera {
namespace {

using ::testing::MatchesRegex;

std::string end_of(const std::string& source, std::uint32_t threads) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), SessionOptions{.threads = threads});
    Program program;
    CreateKernelFromString(program, source, CoreCoord{1, 0}, ReaderDataMovementConfig(),
                           "native.cpp");
    return kernel_error_of(session, program);
}

struct RefusedCall {
    const char* name;  ///< name in the message
    const char* statement;
};

class FunctionsOfTheHost : public ::testing::TestWithParam<std::tuple<RefusedCall, std::uint32_t>> {
};

TEST_P(FunctionsOfTheHost, EndTheKernelAtTheirLine) {
    const auto& [call, threads] = GetParam();

    EXPECT_EQ(end_of("#include <csetjmp>\n#include <csignal>\n#include <cstdlib>\n"
                     "#include <pthread.h>\n#include <unistd.h>\n#include <exception>\n"
                     "void kernel_main() {\n    " +
                         std::string(call.statement) + "\n}\n",
                     threads),
              "Unsupported: device 0 core (1,0) reader native.cpp:8: the kernel calls " +
                  std::string(call.name) +
                  ", which a core does not have; allowed: the kernel API, and functions of memory, "
                  "strings and mathematics");
}

INSTANTIATE_TEST_SUITE_P(
    Calls, FunctionsOfTheHost,
    ::testing::Combine(
        ::testing::Values(
            RefusedCall{"exit", "exit(0);"}, RefusedCall{"_exit", "_exit(0);"},
            RefusedCall{"_Exit", "_Exit(0);"}, RefusedCall{"quick_exit", "quick_exit(0);"},
            RefusedCall{"abort", "abort();"}, RefusedCall{"raise", "raise(SIGTERM);"},
            RefusedCall{"kill", "kill(0, SIGTERM);"},
            RefusedCall{"std::terminate()", "std::terminate();"},
            RefusedCall{"pthread_exit", "pthread_exit(nullptr);"},
            RefusedCall{"longjmp", "jmp_buf place{}; longjmp(place, 1);"},
            RefusedCall{"syscall", "syscall(231, 0);"}, RefusedCall{"sleep", "sleep(1000);"},
            RefusedCall{"fork", "fork();"},
            RefusedCall{"the instruction of llvm.trap", "__builtin_trap();"},
            RefusedCall{"the instruction of llvm.debugtrap", "__builtin_debugtrap();"}),
        ::testing::Values(1, 2)),
    [](const auto& param) {
        std::string name = std::get<0>(param.param).name;
        std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
        return name + (std::get<0>(param.param).name[0] == '_' ? "Low" : "") + "On" +
               std::to_string(std::get<1>(param.param));
    });

TEST(AFunctionOfTheHost, IsRefusedThroughAPointerToo) {
    EXPECT_EQ(
        end_of(R"(#include <cstdlib>
void (*volatile leave)(int) = exit;
void kernel_main() {
    noc_async_write_barrier();
    leave(0);
})",
               1),
        "Unsupported: device 0 core (1,0) reader native.cpp:4: the kernel calls exit, which a "
        "core does not have; allowed: the kernel API, and functions of memory, strings and "
        "mathematics (the line is that of its last API call)");
}

struct NativeFault {
    const char* name;
    const char* source;
    const char* message;  ///< text after "device 0 core (1,0) reader native.cpp"
};

class NativeFaults : public ::testing::TestWithParam<std::tuple<NativeFault, std::uint32_t>> {};

TEST_P(NativeFaults, EndTheKernelAtTheirLine) {
    const auto& [fault, threads] = GetParam();

    EXPECT_THAT(end_of(fault.source, threads), MatchesRegex(fault.message));
}

constexpr const char* kOverrun = R"(
void kernel_main() {
    volatile int a[4];
    for (int i = 0; i < 1000; ++i) {
        a[i] = i;
    }
})";
constexpr const char* kSmallOverrun = R"(volatile int count = 8;
void kernel_main() {
    volatile int a[4];
    for (int i = 0; i < count; ++i) {
        a[i] = i;
    }
})";
constexpr const char* kMemset = R"(volatile char* volatile escaped;
volatile int count = 100000;
void kernel_main() {
    char a[64];
    escaped = a;
    memset(a, 1, count);
    count = a[3];
})";
constexpr const char* kHeapOverrun = R"(
void kernel_main() {
    volatile int* volatile p = new int[16];
    for (volatile int i = 0; i < 1000; i = i + 1) {
        p[i] = i;
    }
})";

INSTANTIATE_TEST_SUITE_P(
    Mistakes, NativeFaults,
    ::testing::Combine(
        ::testing::Values(
            NativeFault{"NullRead",
                        "void kernel_main() {\n"
                        "    volatile int* volatile p = nullptr;\n\n"
                        "    int x = *p;\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:4: the kernel "
                        "touches address 0x0 of the host, outside of its core: a null pointer, or "
                        "one that was computed wrongly"},
            NativeFault{"NotCanonical",
                        "void kernel_main() {\n"
                        "    int* volatile host = (int*)0x7f00000000000010;\n"
                        "    *host = 1;\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:3: the kernel "
                        "touches an address that no host has \\(it is not canonical\\), outside of "
                        "its core: a pointer that was computed wrongly"},
            NativeFault{"BeyondL1",
                        "void kernel_main() {\n\n"
                        "    *(volatile int*)0x200000 = 1;\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:3: the kernel "
                        "touches address 0x200000, but L1 ends at 0x16e000"},
            NativeFault{"Jump",
                        "void kernel_main() {\n"
                        "    void (*volatile f)() = (void (*)())0x7f0000000010;\n"
                        "    f();\n    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:3: the kernel "
                        "jumps to address 0x7f0000000010, which holds no code"},
            NativeFault{"TailCallOfNull",
                        "\nvoid kernel_main() {\n"
                        "    void (*volatile f)() = nullptr;\n    f();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:[23]: the kernel "
                        "jumps to address 0x0, which holds no code \\(the line is where the "
                        "kernel begins\\)"},
            NativeFault{"JumpIntoL1",
                        "void kernel_main() {\n"
                        "    void (*volatile f)() = (void (*)())0x1000;\n"
                        "    f();\n    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:3: the kernel "
                        "jumps to address 0x1000, which holds no code"},
            NativeFault{"PrintOfNull",
                        "#include <cstdio>\nvoid kernel_main() {\n"
                        "    const char* volatile text = nullptr;\n"
                        "    puts(text);\n    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:4: the kernel "
                        "touches address 0x0 of the host, outside of its core: a null pointer, or "
                        "one that was computed wrongly"},
            NativeFault{"Overrun", kOverrun,
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:[0-9]+: the kernel "
                        "overruns an array on its stack.*"},
            NativeFault{"SmallOverrun", kSmallOverrun,
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:[0-9]+: the kernel "
                        "overruns an array on its stack: found where its function returns"},
            NativeFault{"Memset", kMemset,
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:6: the kernel "
                        "overruns an array on its stack"},
            NativeFault{"Recursion",
                        "int f(volatile int* p) { volatile int x[99]; x[0] = *p; return f(x) + "
                        "x[0]; }\n"
                        "void kernel_main() { volatile int x = 1; x = f(&x); }",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:1: the kernel's "
                        "stack overflows its [0-9]+ bytes"},
            NativeFault{"WildFree",
                        "#include <cstdlib>\nvoid kernel_main() {\n"
                        "    free(reinterpret_cast<void*>(0x50000));\n"
                        "    noc_async_write_barrier();\n}",
                        "UndefinedBehavior: device 0 core \\(1,0\\) reader native.cpp:3: the "
                        "kernel frees an address that it has not allocated or has freed before"},
            NativeFault{"DoubleDelete",
                        "void kernel_main() {\n"
                        "    int* volatile p = new int;\n"
                        "    delete p;\n    delete p;\n"
                        "    noc_async_write_barrier();\n}",
                        "UndefinedBehavior: device 0 core \\(1,0\\) reader native.cpp:4: the "
                        "kernel frees an address that it has not allocated or has freed before"},
            NativeFault{"MallocInALoop",
                        "#include <cstdlib>\nvoid kernel_main() {\n"
                        "    for (;;) {\n"
                        "        void* volatile p = malloc(1048576);\n    }\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:4: the kernel "
                        "allocates 1048576 bytes, aligned to 1, while it holds 16777216; allowed: "
                        "16777216 bytes a kernel, aligned to a power of two"},
            NativeFault{"HeapOverrun", kHeapOverrun,
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:5: the kernel "
                        "touches byte 64 of a block of 64 bytes on its heap; allowed: 0 to 63"},
            NativeFault{"HeapMemset",
                        "#include <cstdlib>\nvolatile int count = 1000000;\n"
                        "void kernel_main() {\n"
                        "    void* p = malloc(4096);\n"
                        "    memset(p, 1, count);\n    noc_async_write_barrier();\n    free(p);\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:5: the kernel "
                        "touches byte 4096 of a block of 4096 bytes on its heap; allowed: 0 to "
                        "4095"},
            NativeFault{"IndexPastAVector",
                        "#include <vector>\nvolatile int place = 50;\n"
                        "void kernel_main() {\n"
                        "    std::vector<int> numbers(8);\n"
                        "    numbers[place] = 1;\n    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:5: the kernel "
                        "touches byte 200 of a block of 32 bytes on its heap; allowed: 0 to 31"},
            NativeFault{"BeforeTheHeap",
                        "void kernel_main() {\n"
                        "    volatile int* volatile p = new int[4];\n    p[-2000] = 1;\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:3: the kernel "
                        "touches byte -8000 of a block of 16 bytes on its heap; allowed: 0 to 15"},
            NativeFault{"ReadAfterDelete",
                        "void kernel_main() {\n"
                        "    int* volatile p = new int[4]();\n    delete[] p;\n"
                        "    volatile int x = p[1];\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:4: the kernel "
                        "touches byte 4 of a block of 16 bytes that it has freed"},
            NativeFault{"SmallHeapOverrunFoundAtDelete",
                        "void kernel_main() {\n"
                        "    char* volatile p = new char[5];\n    p[6] = 1;\n"
                        "    delete[] p;\n    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:4: the kernel has "
                        "written byte 6 of a block of 5 bytes on its heap; allowed: 0 to 4 "
                        "\\(found where it frees the block\\)"},
            NativeFault{"SmallHeapOverrunFoundAtTheEnd",
                        "void kernel_main() {\n"
                        "    char* volatile p = new char[5];\n    p[6] = 1;\n"
                        "    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:2: the kernel has "
                        "written byte 6 of a block of 5 bytes on its heap; allowed: 0 to 4 "
                        "\\(found at its end; the line is that of the allocation\\)"},
            NativeFault{"OverrunOfALaterBlock",
                        "char* volatile blocks[1000];\nvoid kernel_main() {\n"
                        "    for (auto& block : blocks) {\n        block = new char[40];\n    }\n"
                        "    blocks[999][40] = 1;\n    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:4: the kernel has "
                        "written byte 40 of a block of 40 bytes on its heap; allowed: 0 to 39 "
                        "\\(found at its end; the line is that of the allocation\\)"},
            NativeFault{"WriteToALaterBlockAfterDelete",
                        "char* volatile blocks[1000];\nvoid kernel_main() {\n"
                        "    for (auto& block : blocks) {\n        block = new char[40];\n    }\n"
                        "    delete[] blocks[500];\n    blocks[500][3] = 1;\n"
                        "    noc_async_write_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:4: the kernel has "
                        "written byte 3 of a block of 40 bytes that it has freed "
                        "\\(found at its end; the line is that of the allocation\\)"},
            NativeFault{"OverrunOfTheWholeHeap",
                        "char* volatile blocks[1000];\nvoid kernel_main() {\n"
                        "    for (auto& block : blocks) {\n        block = new char[40];\n    }\n"
                        "    for (long i = 0; i < 1L << 40; ++i) {\n        blocks[999][i] = 1;\n"
                        "    }\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:7: the kernel "
                        "touches byte [0-9]+ of a block of 40 bytes on its heap; allowed: 0 to 39"},
            NativeFault{"NocOfALocalVariable",
                        "void kernel_main() {\n"
                        "    alignas(16) volatile uint32_t x[4] = {};\n"
                        "    noc_async_read(get_noc_addr(18, 18, 0x40000), (uint32_t)&x[0], 16);\n"
                        "    noc_async_read_barrier();\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:3: noc_async_read: "
                        "16 bytes at local address 0xf[0-9a-f]+ are variables or the stack of a "
                        "kernel, which the NoC does not reach"},
            NativeFault{"NocOntoAStack",
                        "void kernel_main() {\n"
                        "    noc_async_write(0x50000, get_noc_addr(18, 18, 0xf0fff000), 32);\n}",
                        "OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:2: "
                        "noc_async_write: 32 bytes at 0xf0fff000 leave the L1 of core \\(0,0\\), "
                        "which has 1499136 bytes"}),
        ::testing::Values(1, 2)),
    [](const auto& param) {
        return std::string(std::get<0>(param.param).name) + "On" +
               std::to_string(std::get<1>(param.param));
    });

// Tessera's headers read it, but the line is the one on which the kernel constructs the accessor.
TEST(AMissingCompileTimeArgument, IsNamedWithALineOfTheKernel) {
    EXPECT_THAT(end_of("void kernel_main() {\n"
                       "    const auto x = TensorAccessor(TensorAccessorArgs<4>(), 0, 32);\n"
                       "    noc_async_read(x.get_noc_addr(0), 0x40000, 32);\n"
                       "    noc_async_read_barrier();\n}",
                       1),
                MatchesRegex("OutOfBounds: device 0 core \\(1,0\\) reader native.cpp:[123]: reads "
                             "compile-time argument 4, but the program gives none \\(in a call of "
                             "Tessera's headers near this line\\)"));
}

// One word at a time: some are registers that kernel_main saved for its caller.
TEST(AWordAboveAnArray, EndsTheKernelAtMost) {
    for (int word = 2; word < 16; ++word) {
        const std::string end = end_of("volatile int word = " + std::to_string(word) +
                                           ";\nvoid kernel_main() {\n    volatile uint64_t a[2];\n"
                                           "    a[word] = 0x4141414141414141;\n}",
                                       1);

        EXPECT_THAT(end, ::testing::AnyOf("no KernelError", ::testing::StartsWith("OutOfBounds: ")))
            << word;
    }
}

TEST(AKernelWithContainers, RunsOnItsOwnHeap) {
    EXPECT_EQ(end_of(R"(
        #include <map>
        #include <string>
        #include <vector>
        void kernel_main() {
            std::vector<int> numbers;
            std::map<int, std::string> names;
            for (int i = 0; i < 1000; ++i) {
                numbers.push_back(i);
                names[i % 7] += std::string("a longer text than fits in the object itself");
            }
            if (numbers[999] != 999 || names.size() != 7) {
                numbers.at(5000) = 1;
            }
        })",
                     1),
              "no KernelError");
}

// Sums 1 to n. Each block is used after the previous one was freed.
TEST(AKernelThatAllocatesAndFreesInALoop, ReadsWhatItWrote) {
    EXPECT_EQ(end_of(R"(
        #include <cstdlib>
        void kernel_main() {
            long sum = 0;
            for (int i = 1; i <= 20000; ++i) {
                auto* block = static_cast<volatile long*>(malloc(8 + i % 5000));
                block[0] = i;
                block = static_cast<volatile long*>(realloc((void*)block, 3000 + i % 7));
                sum += block[0];
                free((void*)block);
            }
            if (sum != 20000L * 20001 / 2) {
                exit(1);
            }
        })",
                     1),
              "no KernelError");
}

}  // namespace
}  // namespace tessera
