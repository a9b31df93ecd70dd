// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/args.hpp"

#include <gtest/gtest.h>

#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;

void read_third_argument() {
    (void)get_arg_val<std::uint32_t>(2);
}
void read_common_argument() {
    (void)get_common_arg_val<std::uint32_t>(0);
}
void read_compile_argument() {
    (void)get_compile_time_arg_val(1);
}
void read_named_argument() {
    (void)get_named_compile_time_arg_val("block");
}

std::string fault_with_arguments(void (*kernel)()) {
    static const std::uint32_t compile_args[] = {7};
    static const NamedCompileArgs named;
    KernelRig rig;
    KernelThread& thread = rig.place({0, 0}, Processor::Riscv0, kernel);
    thread.args_address = 34816;
    thread.num_args = 2;
    thread.compile_args = compile_args;
    thread.named_compile_args = &named;
    return rig.fault();
}

TEST(ArgumentErrors, ARuntimeArgumentThatWasNotSetIsRefused) {
    EXPECT_EQ(fault_with_arguments(read_third_argument),
              "OutOfBounds: reads runtime argument 2, but 2 were set for this core");
}

TEST(ArgumentErrors, ACommonArgumentThatWasNotSetIsRefused) {
    EXPECT_EQ(fault_with_arguments(read_common_argument),
              "OutOfBounds: reads common runtime argument 0, but 0 were set for this core");
}

TEST(ArgumentErrors, ACompileTimeArgumentThatIsMissingIsRefused) {
    EXPECT_EQ(fault_with_arguments(read_compile_argument),
              "OutOfBounds: reads compile-time argument 1, but the program gives 1 argument");
}

TEST(ArgumentErrors, ANamedArgumentThatIsMissingIsRefused) {
    EXPECT_EQ(fault_with_arguments(read_named_argument),
              "OutOfBounds: reads named compile-time argument 'block', which the program does not "
              "give");
}

}  // namespace
}  // namespace tessera
