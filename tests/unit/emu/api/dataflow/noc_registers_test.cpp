// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/noc_registers.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;
using testing::own_word;
using testing::semaphore_at;

constexpr std::uint32_t kMarker = 0xBEEF;
constexpr std::uint32_t kFar = kScratch + 64;

void set(std::uint32_t buf, std::uint32_t reg, std::uint32_t value) {
    NOC_CMD_BUF_WRITE_REG(0, buf, reg, value);
}

void set_coordinate(std::uint32_t buf, std::uint32_t reg, std::uint64_t address) {
    set(buf, reg, static_cast<std::uint32_t>(address >> NOC_ADDR_COORD_SHIFT));
}

void send(std::uint32_t buf) {
    set(buf, NOC_CMD_CTRL, NOC_CTRL_SEND_REQ);
}

// Logical core (1,0) has the virtual coordinate (19,18).
void describe_write(std::uint32_t control) {
    set(write_cmd_buf, NOC_CTRL, NOC_CMD_CPY | NOC_CMD_WR | control);
    set_coordinate(write_cmd_buf, NOC_RET_ADDR_COORDINATE, get_noc_addr(19, 18, 0));
    set(write_cmd_buf, NOC_AT_LEN_BE, 16);
    set(write_cmd_buf, NOC_TARG_ADDR_LO, kScratch);
    set(write_cmd_buf, NOC_RET_ADDR_LO, kFar);
}

void write_twice_with_one_description() {
    *own_word(kScratch) = kMarker;
    describe_write(NOC_CMD_RESP_MARKED);
    send(write_cmd_buf);
    set(write_cmd_buf, NOC_RET_ADDR_LO, kFar + 32);
    send(write_cmd_buf);
    noc_nonposted_writes_num_issued[0] += 2;
    noc_nonposted_writes_acked[0] += 2;
    noc_async_write_barrier();
}

TEST(NocRegisters, KeepTheDescriptionOfAWriteBetweenCommands) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, write_twice_with_one_description);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, kFar), kMarker);
    EXPECT_EQ(rig.word({1, 0}, kFar + 32), kMarker);
    EXPECT_EQ(rig.word({0, 0}, kFar), 0U);
}

void write_is_in_flight_until_the_barrier() {
    *own_word(kScratch) = kMarker;
    describe_write(NOC_CMD_RESP_MARKED);
    send(write_cmd_buf);
    *own_word(kScratch) = 1;  // a card may still read the source
    noc_async_write_barrier();
}

TEST(NocRegisters, LeaveAWriteInFlightUntilTheBarrier) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, write_is_in_flight_until_the_barrier);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, kFar), 1U);
}

void read_a_line() {
    set_coordinate(read_cmd_buf, NOC_TARG_ADDR_COORDINATE, get_noc_addr(19, 18, 0));
    set(read_cmd_buf, NOC_TARG_ADDR_LO, kScratch);
    set(read_cmd_buf, NOC_RET_ADDR_LO, kFar);
    set(read_cmd_buf, NOC_AT_LEN_BE, 16);
    send(read_cmd_buf);
    noc_reads_num_issued[0] += 1;
    noc_async_read_barrier();
}

TEST(NocRegisters, ReadWithoutAControlWord) {
    KernelRig rig;
    rig.set_word({1, 0}, kScratch, kMarker);
    rig.place({0, 0}, Processor::Riscv1, read_a_line);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kFar), kMarker);
}

// Semaphores are 16 bytes apart, so that the third word of one is free.
void add_three() {
    const std::uint64_t address = get_noc_addr(19, 18, semaphore_at(1) + 8);
    set(write_at_cmd_buf, NOC_TARG_ADDR_LO, static_cast<std::uint32_t>(address));
    set_coordinate(write_at_cmd_buf, NOC_TARG_ADDR_COORDINATE, address);
    set(write_at_cmd_buf, NOC_AT_LEN_BE,
        NOC_AT_INS(NOC_AT_INS_INCR_GET) | NOC_AT_WRAP(31) | NOC_AT_IND_32((address >> 2) & 3) |
            NOC_AT_IND_32_SRC(0));
    set(write_at_cmd_buf, NOC_AT_DATA, 3);
    set(write_at_cmd_buf, NOC_CTRL, NOC_CMD_AT | NOC_CMD_RESP_MARKED);
    send(write_at_cmd_buf);
    noc_async_atomic_barrier();
}

TEST(NocRegisters, AddToAWordOfALine) {
    KernelRig rig;
    rig.set_word({1, 0}, semaphore_at(1) + 8, 5);
    rig.place({0, 0}, Processor::Riscv0, add_three);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, semaphore_at(1) + 8), 8U);
    EXPECT_EQ(rig.word({1, 0}, semaphore_at(1)), 0U);
}

void multicast(std::uint32_t source, std::uint32_t size, std::uint32_t control) {
    const std::uint64_t rectangle = NOC_MULTICAST_ADDR(18, 18, 20, 19, source);
    set(write_cmd_buf, NOC_CTRL,
        NOC_CMD_WR | NOC_CMD_BRCST_PACKET | NOC_CMD_PATH_RESERVE | control);
    set_coordinate(write_cmd_buf, NOC_RET_ADDR_COORDINATE, rectangle);
    set(write_cmd_buf, NOC_BRCST_EXCLUDE, 0);
    set(write_cmd_buf, NOC_AT_LEN_BE, size);
    set(write_cmd_buf, NOC_TARG_ADDR_LO, source);
    set(write_cmd_buf, NOC_RET_ADDR_LO, static_cast<std::uint32_t>(rectangle));
    send(write_cmd_buf);
}

void multicast_data_and_flag() {
    *own_word(kScratch) = kMarker;
    *own_word(semaphore_at(0)) = 1;
    multicast(kScratch, 16, NOC_CMD_VC_LINKED);  // posted
    multicast(semaphore_at(0), 4, NOC_CMD_RESP_MARKED);
    noc_async_write_barrier();
}

void receive() {
    noc_semaphore_wait(own_word(semaphore_at(0)), 1);
    *own_word(kFar) = *own_word(kScratch);
}

TEST(NocRegisters, MulticastDataAheadOfTheFlagBehindIt) {
    KernelRig rig(4, 2, 2);
    rig.place({0, 0}, Processor::Riscv0, multicast_data_and_flag);
    rig.place({2, 1}, Processor::Riscv1, receive);

    rig.run();

    EXPECT_EQ(rig.word({2, 1}, kFar), kMarker);
    EXPECT_EQ(rig.word({3, 0}, kScratch), 0U);
}

void store_own_coordinates() {
    *own_word(kScratch) = NOC_CMD_BUF_READ_REG(0, 0, NOC_NODE_ID);
}

TEST(NocRegisters, TellTheCoordinatesOfTheCore) {
    KernelRig rig;
    rig.place({1, 0}, Processor::Riscv0, store_own_coordinates);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, kScratch), 18U << 6U | 19U);
}

void swap_word() {
    constexpr std::uint32_t kSwap = 3;
    set(write_at_cmd_buf, NOC_AT_LEN_BE, NOC_AT_INS(kSwap));
    set(write_at_cmd_buf, NOC_CTRL, NOC_CMD_AT);
    send(write_at_cmd_buf);
}

TEST(NocRegisters, RefuseOtherAtomics) {
    EXPECT_EQ(KernelRig().fault_of(swap_word),
              "Unsupported: NOC_AT_LEN_BE is 0x3000; emulated of the atomics: "
              "NOC_AT_INS(NOC_AT_INS_INCR_GET) | NOC_AT_WRAP(31) | NOC_AT_IND_32(word)");
}

// The address is 8 bytes after the start of a flit of 32, so the mask of the word is bits 8 to 11.
void write_inline(std::uint32_t bytes, std::uint32_t control) {
    set(write_reg_cmd_buf, NOC_CTRL, NOC_CMD_CPY | NOC_CMD_WR | NOC_CMD_WR_INLINE | control);
    set(write_reg_cmd_buf, NOC_AT_DATA, 0x11223344);
    set_coordinate(write_reg_cmd_buf, NOC_TARG_ADDR_COORDINATE, get_noc_addr(19, 18, 0));
    set(write_reg_cmd_buf, NOC_TARG_ADDR_LO, kFar + 8);
    set(write_reg_cmd_buf, NOC_AT_LEN_BE, bytes);
    send(write_reg_cmd_buf);
    noc_async_write_barrier();
}
void write_word_inline() {
    write_inline(0xF00, NOC_CMD_RESP_MARKED);
}
void write_two_bytes_inline() {
    write_inline(0x600, NOC_CMD_RESP_MARKED);
}

TEST(NocRegisters, WriteAWordInline) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, write_word_inline);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, kFar + 8), 0x11223344U);
}

TEST(NocRegisters, WriteTheMarkedBytesInline) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, write_two_bytes_inline);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, kFar + 8), 0x00223300U);
}

void write_bytes_of_another_word_inline() {
    write_inline(0xF, 0);
}

TEST(NocRegisters, RefuseInlineWritesOfOtherWords) {
    EXPECT_EQ(
        KernelRig().fault_of(write_bytes_of_another_word_inline),
        "Unsupported: NOC_CTRL is 0xa and the bytes in NOC_AT_LEN_BE are 0xf for an address 8 "
        "bytes into a flit of 32; emulated of the inline writes: to one core, bytes of the "
        "word at the address");
}

void write_with_byte_enables() {
    describe_write(NOC_CMD_WR_BE);
    send(write_cmd_buf);
}

TEST(NocRegisters, RefuseByteEnablesOfLongWrites) {
    EXPECT_EQ(KernelRig().fault_of(write_with_byte_enables),
              "Unsupported: NOC_CTRL is 0x6 and NOC_BRCST_EXCLUDE 0x0; not emulated through "
              "registers: NOC_CMD_WR_BE, receivers that a multicast leaves out");
}

void write_unknown_register() {
    set(4, NOC_CTRL, 0);
}

TEST(NocRegisters, RefuseUnknownRegisters) {
    EXPECT_EQ(KernelRig().fault_of(write_unknown_register),
              "OutOfBounds: no register 0x1c in command buffer 4 of NoC 0; allowed: the constants "
              "NOC_…, command buffers 0 to 3, NoCs 0 and 1");
}

}  // namespace
}  // namespace tessera
