// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/empty_program.hpp"

#include <gtest/gtest.h>

#include <string>

#include "runtime/config/load.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::score {
namespace {

EmptyProgram program(const std::string& name, const std::string& arch = "wormhole") {
    const Row row{.arch = arch, .workload = "program dispatch " + name};
    return empty_program_of(row, Parameters("kernel_bytes=1024"));
}

TEST(EmptyProgram, RunsOnOneCoreUnlessItsNameSaysAll) {
    EXPECT_EQ(program("all_processors_trace").grid, (GridSize{1, 1}));
    EXPECT_EQ(program("all_processors_all_cores_trace").grid, (GridSize{8, 7}));
    EXPECT_EQ(program("all_processors_all_cores_trace", "blackhole").grid, (GridSize{12, 9}));
    EXPECT_EQ(program("maxed_config_params_trace").grid, (GridSize{8, 7}));
}

TEST(EmptyProgram, HasTheProcessorsOfItsName) {
    const EmptyProgram brisc = program("brisc_only_trace");
    EXPECT_TRUE(brisc.brisc && !brisc.ncrisc && !brisc.trisc);
    const EmptyProgram ncrisc = program("ncrisc_only_trace");
    EXPECT_TRUE(!ncrisc.brisc && ncrisc.ncrisc && !ncrisc.trisc);
    const EmptyProgram trisc = program("trisc_only_trace");
    EXPECT_TRUE(!trisc.brisc && !trisc.ncrisc && trisc.trisc);
    const EmptyProgram both = program("brisc_trisc_only_trace");
    EXPECT_TRUE(both.brisc && !both.ncrisc && both.trisc);
}

TEST(EmptyProgram, HasTheConfigurationOfItsName) {
    const EmptyProgram groups = program("all_processors_all_cores_32cb_8g");
    EXPECT_EQ(groups.cbs, 32U);
    EXPECT_EQ(groups.cb_groups, 8U);
    EXPECT_EQ(groups.groups, 1U);
    const EmptyProgram own = program("all_processors_all_cores_128_rta");
    EXPECT_EQ(own.unique_args, 128U);
    EXPECT_EQ(own.cbs, 0U);
    EXPECT_EQ(program("all_processors_1_core_32_crta").common_args, 32U);
    EXPECT_EQ(program("all_processors_all_cores_1cb_1sem").semaphores, 1U);
    EXPECT_EQ(program("sems_1_core_1_processor_trace").semaphores, 4U);
}

TEST(EmptyProgram, KernelGroupsAreEightOnAllProcessors) {
    const EmptyProgram with_cbs = program("kernel_groups_32_cb_trace");
    EXPECT_EQ(with_cbs.groups, 8U);
    EXPECT_EQ(with_cbs.cbs, 32U);
    EXPECT_TRUE(with_cbs.brisc && with_cbs.ncrisc && with_cbs.trisc);

    const EmptyProgram shadow = program("kernel_groups_4_shadow", "blackhole");
    EXPECT_EQ(shadow.groups, 11U);
    EXPECT_EQ(shadow.run_cycles, 40000U);
    EXPECT_EQ(shadow.short_runs, 4U);
}

TEST(EmptyProgram, RunsForTheCyclesOfItsNameOrParameter) {
    EXPECT_EQ(program("5000_kernel_all_cores_all_processors_32_cbs_trace").run_cycles, 5000U);
    const Row row{.arch = "wormhole",
                  .workload = "program dispatch BM_pgm_dispatch_vary_slow_cycles"};
    const EmptyProgram slow = empty_program_of(
        row, Parameters("kernel_bytes=256_bytes_brisc_only_left_processors_subdevices_trace;"
                        "extra=3000"));
    EXPECT_EQ(slow.run_cycles, 3000U);
    EXPECT_EQ(slow.kernel_bytes, 256U);
    EXPECT_EQ(slow.grid, (GridSize{1, 7}));
    EXPECT_FALSE(slow.ncrisc);
}

TEST(EmptyProgram, DispatchFromEthernetCoresIsRefused) {
    try {
        (void)program("eth_dispatch");
        FAIL() << "no refusal";
    } catch (const NotExpressible& refusal) {
        EXPECT_STREQ(refusal.what(),
                     "program eth_dispatch: dispatch from Ethernet cores has no constants");
    }
}

// decoder_perf_targets_6u.json of tt-metal's llama3_70b_galaxy has 600 to 900 ns between ops.
TEST(DispatchConstants, LeaveTheGapBetweenTracedOpsThatDecodersHave) {
    const TimingSpec timing =
        config::load_arch(TESSERA_SOURCE_DIR "/configs/arch/wormhole_n150.yaml").timing.expected;
    const DispatchTiming& dispatch = timing.dispatch;
    const Cycles gap = dispatch.program_gap + dispatch.launch_latency + dispatch.kernel_start +
                       dispatch.kernel_end;

    EXPECT_GE(gap.value / timing.clock.value, 600e-9);
    EXPECT_LE(gap.value / timing.clock.value, 900e-9);
}

}  // namespace
}  // namespace tessera::score
