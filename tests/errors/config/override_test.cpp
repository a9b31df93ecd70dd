// SPDX-License-Identifier: Apache-2.0
// Mistakes in --set key.path=value.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/case_name.hpp"
#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

struct SetMistake {
    const char* set;
    const char* message;
};

void PrintTo(const SetMistake& mistake, std::ostream* stream) {
    *stream << mistake.set;
}

class OverrideErrors : public testing::TestWithParam<SetMistake> {};

TEST_P(OverrideErrors, NameTheOverrideInPlaceOfALine) {
    EXPECT_EQ(refusal_of_run(std::string(kRun), {GetParam().set}), GetParam().message);
}

constexpr SetMistake kSets[] = {
    {"params.rowz=3", "--set params.rowz=3: params.rowz: unknown key, did you mean params.rows?"},
    {"params.rows=few",
     "--set params.rows=few: params.rows: 'few' is a word; allowed: a number, or {value: …, "
     "choices: […]}"},
    {"params.columns=few",
     "--set params.columns=few: params.columns: 'few' is a word; allowed: a number from 1 to "
     "1024"},
    {"params.columns=2000",
     "--set params.columns=2000: params.columns: 2000 is out of range, allowed: 1 to 1024"},
    {"params.mode=fanc", "--set params.mode=fanc: params.mode: fanc, allowed: plain, fancy"},
    {"steps.doubl.set.factor=3",
     "--set steps.doubl.set.factor=3: steps.doubl: unknown key, did you mean steps.double?"},
    {"steps.double.set.factr=3",
     "--set steps.double.set.factr=3: steps.double.set.factr: unknown key, did you mean "
     "steps.double.set.factor?"},
    {"steps.double.set.factor=x",
     "--set steps.double.set.factor=x: steps.double.set.factor: expected a number, found 'x'"},
    {"set.scale.grid=[0,9]",
     "--set set.scale.grid=[0,9]: steps.double.set.grid: [0, 9] is not part of the "
     "wormhole_n150's grid; allowed: [0, 0], which is all of it, or [1, 1] to [8, 8]"},
    {"tensors.y.dtype=float32",
     "--set tensors.y.dtype=float32: tensors.y: unknown key, allowed: tensors.x"},
    {"tensors.x.dtype=f32",
     "--set tensors.x.dtype=f32: tensors.x.dtype: expected bfloat16, float32, bfp8_b, bfp4_b, "
     "fp8_e4m3, fp8_e5m2, int32, uint32, uint16 or uint8, found 'f32'"},
    {"mesh.shap=[1,4]", "--set mesh.shap=[1,4]: mesh.shap: unknown key, did you mean mesh.shape?"},
    {"params.rows", "--set params.rows: expected key.path=value"},
    {"=3", "--set =3: expected key.path=value"},
    {"params..rows=3",
     "--set params..rows=3: invalid key path 'params..rows'; write key.path=value"},
    {"params.rows.max=3", "--set params.rows.max=3: params.rows is '64' and has no keys below it"},
    {"mesh.shape=[1,4", "--set mesh.shape=[1,4: YAML syntax: end of sequence flow not found"},
    {"arch.l1.size=1048576",
     "--set arch.l1.size=1048576: arch.l1.size: '1048576' has no unit, allowed: B, KiB, MiB or "
     "GiB"},
    {"arch.timing.link.receiver_slots=1",
     "--set arch.timing.link.receiver_slots=1: arch.timing.link.receiver_slots: 1 is out of range, "
     "allowed: 2 to 1024"},
    {"arch.timing.link.packet_slot=2 s",
     "--set arch.timing.link.packet_slot=2 s: arch.timing.link.packet_slot: 2 s is out of range, "
     "allowed: 0 to 1 s"},
    {"arch.timing.noc.hop=1e10 cycles",
     "--set arch.timing.noc.hop=1e10 cycles: arch.timing.noc.hop: 10000000000 cycles is out of "
     "range, allowed: 0 to 1000000000 cycles"},
    {"arch.timing.link.rate=1 B/s",
     "--set arch.timing.link.rate=1 B/s: arch.timing.link.rate: 1 B/s is out of range, allowed: "
     "100000 to 1000000000000000 B/s"},
    {"arch.timing.link.router_processors=3",
     "--set arch.timing.link.router_processors=3: arch.timing.link.router_processors: 3 is out of "
     "range, allowed: 1 to 2"},
    {"arch.l1.sise=1 MiB",
     "--set arch.l1.sise=1 MiB: arch.l1.sise: unknown key, did you mean arch.l1.size?"},
    {"link.rate=3 GB/s",
     "--set link.rate=3 GB/s: link.rate: unknown key, did you mean arch.timing.link.rate?"},
    {"timing.noc.hop=9 cycles",
     "--set timing.noc.hop=9 cycles: timing.noc.hop: unknown key, did you mean "
     "arch.timing.noc.hop?"},
    {"l1.size=1 MiB", "--set l1.size=1 MiB: l1.size: unknown key, did you mean arch.l1.size?"},
    {"arch.l1.size=1 KiB",
     "--set arch.l1.size=1 KiB: arch.l1.reserved: 103712 leaves nothing of l1.size 1024"},
    {"extends=moe_v2",
     "--set extends=moe_v2: extends is read before options change values; allowed: a key of the "
     "merged files. Write `extends: moe_v2` in a file and name that file in place of this one"},
    {"steps.double.op=cop",
     "--set steps.double.op=cop: steps.double.op: unknown op 'cop', did you mean copy? Allowed: "
     "the ops that `tessera list ops` shows"},
};

TEST(OverrideErrors, NameTheStepWhoseOwnValueStandsBeforeTheOps) {
    const std::string text = replaced(kRun, "set: {factor: 2}", "set: {factor: 2, grid: [2, 2]}");

    EXPECT_EQ(refusal_of_run(text, {"set.scale.grid=[1,1]"}),
              "--set set.scale.grid=[1,1]: set.scale.grid: has no effect: every step of the op has "
              "its own value; set steps.double.set.grid instead (run.yaml:11:73)");
    EXPECT_EQ(refusal_of_run(text, {"steps.double.set.grid=[1,1]"}), "");
    EXPECT_EQ(refusal_of_run(std::string(kRun), {"set.scale.grid=[1,1]"}), "");
}

TEST(OverrideErrors, NameAnOpThatNoStepIs) {
    EXPECT_EQ(refusal_of_run(std::string(kRun), {"set.linear.k_block=1"}),
              "--set set.linear.k_block=1: set.linear.k_block: has no effect: no step of this run "
              "has op linear");
}

// The step `again` uses the op's value, so the override has an effect.
TEST(OverrideErrors, AreAbsentWhereAStepTakesTheOpsValue) {
    const std::string text =
        replaced(kRun, "set: {factor: 2}}",
                 "set: {factor: 2, grid: [2, 2]}}\n"
                 "  - {name: again, op: scale, in: [y], out: [z], set: {factor: 2}}");

    EXPECT_EQ(refusal_of_run(text, {"set.scale.grid=[1,1]"}), "");
}

INSTANTIATE_TEST_SUITE_P(Sets, OverrideErrors, testing::ValuesIn(kSets), [](const auto& mistake) {
    return testing_support::case_name(mistake.param.set);
});

TEST(OverrideErrors, AreReportedBehindThoseOfTheFile) {
    EXPECT_EQ(refusal_of_run(replaced(kRun, "value: 96", "value: 0"), {"tensors.x.dtype=f32"})
                  .find("run.yaml:6:20: params.columns: 0 is out of range"),
              0U);
}

TEST(OverrideErrors, AreAbsentWhereAnOverrideKeepsToItsParamsRange) {
    EXPECT_EQ(refusal_of_run(std::string(kRun), {"params.columns=1024"}), "");
    EXPECT_EQ(
        refusal_of_run(replaced(kRun, "out: [y]", "out: [y], when: mode == fancy || rows > 0"),
                       {"params.mode=fancy"}),
        "");
}

}  // namespace
}  // namespace tessera::test
