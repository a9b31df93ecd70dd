// SPDX-License-Identifier: Apache-2.0
// One mistake in an arch file, one message. "@" is the location of the replaced text.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

struct Mistake {
    const char* name;
    const char* from;
    const char* to;
    const char* message;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) {
    *stream << mistake.name;
}

class ArchFileErrors : public testing::TestWithParam<Mistake> {};

TEST_P(ArchFileErrors, NamePlaceKeyAndWhatIsAllowed) {
    const Mistake& mistake = GetParam();

    EXPECT_EQ(refusal_of_arch(mistake.from, mistake.to),
              std::string("wormhole_n150.yaml") + mistake.message);
}

constexpr Mistake kMistakes[] = {
    {"BareNumber", "1464 KiB", "1499136",
     ":@: l1.size: '1499136' has no unit, allowed: B, KiB, MiB or GiB"},
    {"WrongUnit", "1464 KiB", "1464 MHz",
     ":@: l1.size: '1464 MHz' has the unit 'MHz', allowed: B, KiB, MiB or GiB"},
    {"DecimalPrefixOfBytes", "1464 KiB", "1464 kB",
     ":@: l1.size: '1464 kB' has the unit 'kB', allowed: B, KiB, MiB or GiB"},
    {"NoNumber", "1464 KiB", "large",
     ":@: l1.size: expected a number in B, KiB, MiB or GiB, found 'large'"},
    {"FractionOfAByte", "1464 KiB", "0.3 KiB",
     ":@: l1.size: '0.3 KiB' is not a whole number of B up to 2^53"},
    {"NegativeQuantity", "1464 KiB", "-1 KiB", ":@: l1.size: '-1 KiB' is negative"},
    {"L1OverKernelMemory", "1464 KiB", "4 GiB",
     ":@: l1.size: 4294967296 B, allowed: 3758096384 or fewer, where the emulated kernels' globals "
     "and stacks begin"},
    {"ClockThatStands", "1.0 GHz", "0 Hz",
     ":@: clock: 0 Hz is out of range, allowed: 1000000 to 100000000000 Hz"},
    {"VirtualCoordinatesPastANocAddress", "[18, 18]", "[60, 18]",
     ":@: workers.virtual_origin: the last of 8x8 cores is at (67,25), allowed: coordinates up to "
     "63"},
    {"BareClock", "1.0 GHz", "1000000000",
     ":@: clock: '1000000000' has no unit, allowed: Hz, kHz, MHz or GHz"},
    {"ValueWithoutSource", "{value: 1.0 GHz, source: \"tech_reports/GEMM_FLOPS/GEMM_FLOPS.md\"}",
     "1.0 GHz", ":@: clock: expected {value: …, source: …}, found '1.0 GHz'"},
    {"SourceMissing", "{value: 1.0 GHz, source: \"tech_reports/GEMM_FLOPS/GEMM_FLOPS.md\"}",
     "{value: 1.0 GHz}",
     ":@: clock.source: expected the document a value was taken from, or \"assumed — <reason>\""},
    {"SourceEmpty", "\"tech_reports/GEMM_FLOPS/GEMM_FLOPS.md\"}", "\"\"}",
     ":@: clock.source: expected the document a value was taken from, or \"assumed — <reason>\""},
    {"AssumedWithoutReason", "\"tech_reports/GEMM_FLOPS/GEMM_FLOPS.md\"}", "assumed}",
     ":@: clock.source: an assumption needs a reason: \"assumed — <reason>\""},
    {"ValueMissing", "{value: 1464 KiB, ", "{", ":@: l1.size.value: required key is missing"},
    {"OtherKeyInFact", "source: \"tech_reports/GEMM_FLOPS/GEMM_FLOPS.md\"}",
     "note: x, source: \"y\"}", ":@: clock.note: unknown key, allowed: value, source, range"},
    {"OutsideItsRange", "1.0 GHz,", "1.0 GHz, range: [1.1 GHz, 1.2 GHz],",
     ":@: clock: 1 GHz is outside its range [1.1 GHz, 1.2 GHz]"},
    {"RangeOfAList", "[1, 2, 3, 4, 6, 7, 8, 9]\n", "[1, 2, 3, 4, 6, 7, 8, 9]\n    range: [1, 9]\n",
     ":14:12: workers.noc_columns.range: only a single number has a range"},
    {"TextInList", "[1, 2, 3, 4, 6, 7, 8, 9]", "[one]",
     ":13:13: workers.noc_columns: expected a whole number as an element, found 'one'"},
    {"KeyMissingInListElement", "noc1: [0, 11], ", "",
     ":51:9: dram.endpoints[0].noc1: required key is missing"},
    {"NameOfAnotherFile", "wormhole_n150\narch", "n150\narch",
     ":@: name: 'n150' is not the name of the file, wormhole_n150"},
    {"UnknownArchitecture", "wormhole\nclock", "grayskull\nclock",
     ":@: architecture: 'grayskull' is unknown, allowed: wormhole or blackhole"},
    {"AlignmentNoPowerOfTwo", "16 B, source: \"wormhole/noc/noc_parameters.h, NOC_L1",
     "24 B, source: \"x", ":@: l1.alignment: 24 B is not a power of two"},
    {"ChannelBufferBelowAFlit", "{value: 512 B, source: \"tt-isa", "{value: 16 B, source: \"tt-isa",
     ":118:29: timing.noc.channel_buffer: 16 B are less than noc.flit 32"},
    {"RouterBufferBelowItsChannels", "{value: 2 KiB, source: \"tt-isa",
     "{value: 768 B, source: \"tt-isa",
     ":117:28: timing.noc.router_buffer: 768 B are less than 992, channel_buffer and a flit "
     "for each of the other 15 channels"},
    {"RangeOfARouterBufferBelowItsChannels", "{value: 2 KiB, source: \"tt-isa",
     "{value: 2 KiB, range: [960 B, 4 KiB], source: \"tt-isa",
     ":117:28: timing.noc.router_buffer: 960 B are less than 992, channel_buffer and a flit "
     "for each of the other 15 channels"},
    {"RangeOfAChannelBufferBeyondItsRouters", "{value: 512 B, source: \"tt-isa",
     "{value: 512 B, range: [512 B, 1600 B], source: \"tt-isa",
     ":117:28: timing.noc.router_buffer: 2048 B are less than 2080, channel_buffer and a flit "
     "for each of the other 15 channels"},
    {"RangeOfAChannelBufferBelowAFlit", "{value: 512 B, source: \"tt-isa",
     "{value: 512 B, range: [16 B, 512 B], source: \"tt-isa",
     ":118:29: timing.noc.channel_buffer: 16 B are less than noc.flit 32"},
    {"ColumnsUnlikeGrid", "[1, 2, 3, 4, 6, 7, 8, 9]", "[1, 2, 3]",
     ":@: workers.noc_columns: 3 columns, but workers.compute has 8"},
    {"RowHarvestedAndUsed", "[11], source", "[9], source",
     ":16:12: workers.noc_rows: 9 is listed twice, harvested or reserved for dispatch"},
    {"RowTwice", "[1, 2, 3, 4, 7, 8, 9, 10]", "[1, 2, 3, 4, 7, 8, 8, 10]",
     ":@: workers.noc_rows: 8 is listed twice, harvested or reserved for dispatch"},
    {"ColumnOutsideNoc", "[1, 2, 3, 4, 6, 7, 8, 9]", "[1, 2, 3, 4, 6, 7, 8, 10]",
     ":@: workers.noc_columns: 10 is outside the NoC grid, allowed: 0 to 9"},
    {"BanksUnlikeEndpoints", "{value: 12, source", "{value: 11, source",
     ":42:22: dram.num_banks: 11 banks, but dram.endpoints has 12"},
    {"DramAtAWorkersCoordinate", "{noc: [0, 11], ", "{noc: [18, 25], ",
     ":51:15: dram.endpoints: [18, 25] is the virtual coordinate of a worker"},
    {"SemaphoresAboveReserved", "33056 B\n", "103696 B\n",
     ":@: l1.semaphores: ends at 103952, above l1.reserved 103712"},
    {"SemaphoresWithoutRoomForPacketHeaders", "33056 B\n", "64 B\n",
     ":@: l1.semaphores: 64 leaves no room for 3456 B of packet headers below"},
    {"SemaphoresWhosePacketHeadersCoverArguments", "33056 B\n", "40960 B\n",
     ":@: l1.semaphores: [37504, 40960) overlaps l1.runtime_args [33312, 40132)"},
    {"SemaphoresBetweenWords", "33056 B\n", "33054 B\n",
     ":@: l1.semaphores: 33054 is not a multiple of 4 B, the size of a word"},
    {"MoreDstThanAnyChipHas", "tiles_16bit: {value: 16", "tiles_16bit: {value: 64",
     ":71:24: dst.tiles_16bit: 64 is out of range, allowed: 2 to 16"},
    {"ZerosInsideSemaphores", "12800 B", "33056 B",
     ":@: l1.zeros: [33056, 33568) overlaps l1.runtime_args [33312, 40132)\n"
     "wormhole_n150.yaml:@: l1.zeros: [33056, 33568) overlaps l1.semaphores [33056, 33312)"},
    {"NoTiming", "timing:", "taming:",
     ":5:1: timing: required key is missing\n"
     "wormhole_n150.yaml:@: taming: unknown key, did you mean timing?"},
    {"CostInBytes", "8.7 cycles, range: [8 cycles", "8.7 B, range: [8 cycles",
     ":@: timing.noc.hop: '8.7 B' has the unit 'B', allowed: cycles"},
    {"ReservedAboveSize", "1464 KiB", "64 KiB",
     ":25:12: l1.reserved: 103712 leaves nothing of l1.size 65536"},
};

INSTANTIATE_TEST_SUITE_P(OneMistake, ArchFileErrors, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return test.param.name; });

TEST(ArchFileErrors, AreAbsentWhereAValueIsTheEndOfItsRange) {
    EXPECT_EQ(refusal_of_arch("1.0 GHz,", "1.0 GHz, range: [0.8 GHz, 1.0 GHz],"), "");
    EXPECT_EQ(refusal_of_arch("1.0 GHz,", "1.0 GHz, range: [1 GHz, 1200 MHz],"), "");
}

}  // namespace
}  // namespace tessera::test
