// SPDX-License-Identifier: Apache-2.0
// Issue slots of sfpi code. Expected numbers are counted by hand: instructions of the vendor's
// compiler for Wormhole, latencies from tt-isa-documentation, VectorUnit.md.
#include "tessera/kernel/compute/sfpi_issue.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tessera/kernel/compute/sfpi_functions.hpp"
#include "tests/compute_core.hpp"
#include "tests/trace_events.hpp"

// Each v_if declares an object of the same name, as a nested scope of a kernel does.
#pragma GCC diagnostic ignored "-Wshadow"
// Only the instructions that compute a value matter.
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

namespace tessera {
namespace {

using sfpi::dst_reg;
using sfpi::vFloat;
using sfpi::vInt;
using sfpi::vUInt;
using testing::ComputeCore;

struct Slots {
    const char* name;
    void (*code)();
    std::uint32_t expected;
};

class IssueSlots : public ::testing::TestWithParam<Slots> {
protected:
    IssueSlots() { tile_regs_acquire(); }
    ComputeCore core_;
};

TEST_P(IssueSlots, AreThoseOfTheChipsInstructions) {
    const std::uint32_t before = kernel::issued_slots();

    GetParam().code();

    EXPECT_EQ(kernel::issued_slots() - before, GetParam().expected);
}

void condition_with_two_branches() {
    vFloat x = dst_reg[0];  // SFPLOAD
    v_if(x < 0.0F) {        // SFPPUSHC, SFPSETCC
        x = -x;             // SFPMOV
    }
    v_else {        // SFPCOMPC
        x = x * x;  // SFPMUL
    }
    v_endif;         // SFPPOPC, in the slot behind the product
    dst_reg[0] = x;  // SFPSTORE
}
void condition_with_another() {
    vInt x = dst_reg[0];  // SFPLOAD
    v_if(x == 0) {        // SFPPUSHC, SFPSETCC
        x = 0;            // SFPMOV of the constant register
    }
    v_elseif(x >= 0) {  // SFPCOMPC, SFPPUSHC, SFPSETCC
        x = 3;          // SFPLOADI
    }
    v_endif;  // SFPPOPC
}

const Slots kSlots[] = {
    {"copy", [] { dst_reg[0] = vFloat(dst_reg[1]); }, 2},
    {"step", [] { dst_reg++; }, 1},
    // SFPLOAD, SFPABS, SFPSTORE and the step: abs_tile.
    {"abs", [] { dst_reg[0] = sfpi::abs(vFloat(dst_reg[0])), dst_reg++; }, 4},
    // Two SFPLOAD, SFPADD, a slot without instruction, SFPSTORE.
    {"sum_is_late", [] { dst_reg[2] = dst_reg[0] + dst_reg[1]; }, 5},
    // SFPLOADI of the third line is between the sum and the difference, which reads it.
    {"another_instruction_fills_the_slot",
     [] {
         vFloat x = dst_reg[0];
         vFloat y = x + 1.0F;
         y = y - 2.0F;
     },
     4},
    {"product_and_sum_are_one_mad",
     [] {
         const vFloat x = dst_reg[0];
         const vFloat y = x * x + x;
     },
     2},
    {"product_that_was_read_is_an_instruction",
     [] {
         const vFloat x = dst_reg[0];
         const vFloat square = x * x;
         dst_reg[1] = square;  // late
         const vFloat y = square + x;
     },
     1 + 1 + 2 + 1},
    {"immediate_of_bfloat16",
     [] {
         vFloat x = dst_reg[0];
         x *= 2.0F;         // SFPMULI
         x += 12582913.0F;  // SFPLOADI of both halves, SFPADD
     },
     1 + 1 + 3},
    {"constant_registers", [] { vFloat x = 0.0F, y = 1.0F, z = -1.0F, w = 0.8373F; }, 0},
    {"constant_of_16_bits", [] { vFloat x = 12582912.0F; }, 1},  // 0x4B400000
    {"constant_of_fp16", [] { vFloat x = 1.0009765625F; }, 1},   // 1 + 2^-10
    {"constant_of_32_bits", [] { vFloat x = 12582913.0F; }, 2},  // 0x4B400001
    {"integer_of_16_bits", [] { vInt x = -5; }, 1},
    {"integer_of_32_bits", [] { vUInt x = 0x12345U; }, 2},
    {"programmable_constant", [] { vFloat x = sfpi::vConstFloatPrgm0; }, 0},
    {"copy_of_a_register",
     [] {
         vFloat x = dst_reg[0];
         vFloat y = dst_reg[1];
         y = x;  // SFPMOV
     },
     3},
    {"minimum_takes_two_slots",
     [] {
         vFloat x = dst_reg[0];
         vFloat y = dst_reg[1];
         sfpi::vec_min_max(x, y);
     },
     4},
    {"fields",
     [] {
         const vFloat x = dst_reg[0];
         const vInt exponent = sfpi::exexp(x);        // SFPEXEXP
         const vFloat y = sfpi::setexp(x, exponent);  // SFPSETEXP
         const vFloat z = sfpi::setsgn(y, 0);         // SFPSETSGN
         const vFloat doubled = sfpi::addexp(z, 1);   // SFPDIVP2
         const vInt zeros = sfpi::lz(x);              // SFPLZ
     },
     6},
    {"conversions",
     [] {
         const vInt x = dst_reg[0];
         const vFloat y = sfpi::int32_to_float(x);    // SFPCAST
         const vUInt z = sfpi::float_to_fp16b(y);     // SFPSTOCHRND
         const vUInt byte = sfpi::float_to_uint8(y);  // SFPSTOCHRND
         const vUInt shifted = (z >> 3) | byte;       // SFPSHFT, SFPOR
     },
     6},
    // SFPMAD, a slot, SFPSETCC once or twice, and SFPCOMPC.
    {"less",
     [] {
         vFloat x = dst_reg[0], y = dst_reg[1];
         (void)(x < y);
     },
     2 + 3},
    {"greater",
     [] {
         vFloat x = dst_reg[0], y = dst_reg[1];
         (void)(x > y);
     },
     2 + 4},
    {"at_most",
     [] {
         vFloat x = dst_reg[0], y = dst_reg[1];
         (void)(x <= y);
     },
     2 + 5},
    {"integers_less",
     [] {
         vInt x = dst_reg[0], y = dst_reg[1];
         (void)(x < y);
     },
     2 + 1},
    {"integers_equal",
     [] {
         vInt x = dst_reg[0], y = dst_reg[1];
         (void)(x == y);
     },
     2 + 2},
    {"two_branches", condition_with_two_branches, 1 + 2 + 1 + 1 + 1 + 1 + 1},
    {"another_condition", condition_with_another, 1 + 2 + 1 + 3 + 1 + 1},
};
INSTANTIATE_TEST_SUITE_P(Code, IssueSlots, ::testing::ValuesIn(kSlots),
                         [](const auto& row) { return std::string(row.param.name); });

class VectorFunctions : public ::testing::Test {
protected:
    VectorFunctions() {
        tile_regs_acquire();
        testing::start_recording(core_.thread());
    }
    std::uint64_t recorded_slots() {
        const std::vector<TraceEvent> events = testing::events_of(core_.thread());
        EXPECT_EQ(events.size(), 1U);
        EXPECT_EQ(events.at(0).kind, EventKind::VectorFunction);
        return events.at(0).argument;
    }
    ComputeCore core_;
};

void negate_face() {
    for (int i = 0; i < 8; ++i) {
        dst_reg[0] = -dst_reg[0];
        dst_reg++;
    }
}

// SFPLOAD, SFPMOV, SFPSTORE and the step for each of 8 vectors of a face.
TEST_F(VectorFunctions, RecordTheSlotsOfAllTheirFaces) {
    _llk_math_eltwise_unary_sfpu_params_(negate_face, 0, VectorMode::RC);

    EXPECT_EQ(recorded_slots(), 4U * 8 * 4);
}

TEST_F(VectorFunctions, ThatNoCallRunsRecordTheirSlotsBeforeDstIsHandedOver) {
    negate_face();
    tile_regs_commit();

    const std::vector<TraceEvent> events = testing::events_of(core_.thread());
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].kind, EventKind::VectorFunction);
    EXPECT_EQ(events[0].argument, 8U * 4);
    EXPECT_EQ(events[1].kind, EventKind::DstCommit);
}

TEST_F(VectorFunctions, OfHalfATileRecordHalfTheSlots) {
    _llk_math_eltwise_unary_sfpu_params_(negate_face, 0, VectorMode::C);

    EXPECT_EQ(recorded_slots(), 2U * 8 * 4);
}

}  // namespace
}  // namespace tessera
