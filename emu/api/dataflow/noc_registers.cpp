// SPDX-License-Identifier: Apache-2.0
// Issues the commands that kernels write into the registers of a NoC.
#include "tessera/kernel/dataflow/noc_registers.hpp"

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/noc/multicast.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "emu/noc/transfer.hpp"
#include "tessera/kernel/dataflow/noc.hpp"

using tessera::CallSite;
using tessera::current_thread;
using tessera::fault;
using tessera::FaultCategory;
using tessera::KernelThread;
using tessera::NocRegisters;

namespace {

constexpr const char* kCall = "NOC_CMD_BUF_WRITE_REG";
constexpr unsigned kWordBits = 32;
constexpr std::uint32_t kHighestAddressBits = 0xF;  // 32 to 35

/// Command that the registers of one buffer describe.
struct Command {
    KernelThread& thread;
    NocRegisters& registers;
    std::uint32_t noc;
    CallSite site;

    [[nodiscard]] std::uint32_t at(std::uint32_t reg) const { return registers.at(reg); }
    [[nodiscard]] bool has(std::uint32_t bit) const { return (at(NOC_CTRL) & bit) != 0; }
    [[nodiscard]] std::uint64_t target() const {
        return address(NOC_TARG_ADDR_COORDINATE, NOC_TARG_ADDR_MID, NOC_TARG_ADDR_LO);
    }
    [[nodiscard]] std::uint64_t destination() const {
        return address(NOC_RET_ADDR_COORDINATE, NOC_RET_ADDR_MID, NOC_RET_ADDR_LO);
    }

private:
    [[nodiscard]] std::uint64_t address(std::uint32_t coordinate, std::uint32_t middle,
                                        std::uint32_t low) const {
        return std::uint64_t{at(coordinate)} << NOC_ADDR_COORD_SHIFT |
               std::uint64_t{at(middle) & kHighestAddressBits} << kWordBits | at(low);
    }
};

void issue_atomic(const Command& command) {
    constexpr std::uint32_t kWord = NOC_AT_IND_32(3);
    constexpr std::uint32_t kWholeWord = NOC_AT_WRAP(31);
    constexpr std::uint64_t kLineMask = 0xF;
    const std::uint32_t operation = command.at(NOC_AT_LEN_BE);
    if ((operation & ~kWord) != (NOC_AT_INS(NOC_AT_INS_INCR_GET) | kWholeWord)) {
        fault(FaultCategory::Unsupported, command.site,
              "NOC_AT_LEN_BE is {:#x}; emulated of the atomics: NOC_AT_INS(NOC_AT_INS_INCR_GET) | "
              "NOC_AT_WRAP(31) | NOC_AT_IND_32(word)",
              operation);
    }
    const std::uint64_t address =
        (command.target() & ~kLineMask) + std::uint64_t{operation & kWord} * sizeof(std::uint32_t);
    const std::uint8_t detail =
        command.has(NOC_CMD_RESP_MARKED) ? 0 : tessera::TransferDetail::kPosted;
    increment_word(command.thread, command.noc, address, command.at(NOC_AT_DATA), detail, kCall,
                   command.site);
}

// A multicast of one word is a flag, as that of noc_semaphore_set_multicast.
void issue_multicast(const Command& command) {
    const tessera::MulticastStyle style{.loopback = command.has(NOC_CMD_BRCST_SRC_INCLUDE)
                                                        ? tessera::Loopback::IncludeSender
                                                        : tessera::Loopback::ExcludeSender,
                                        .linked = command.has(NOC_CMD_VC_LINKED),
                                        .posted = !command.has(NOC_CMD_RESP_MARKED)};
    const std::uint32_t source = command.at(NOC_TARG_ADDR_LO);
    const std::uint64_t destination = command.destination();
    const std::uint32_t size = command.at(NOC_AT_LEN_BE);
    const std::uint32_t number = tessera::count_receivers(command.thread, command.noc, destination,
                                                          style.loopback, kCall, command.site);
    if (size == sizeof(std::uint32_t)) {
        multicast_word(command.thread, command.noc, source, destination, number, style, kCall,
                       command.site);
    } else {
        multicast_write(command.thread, command.noc, source, destination, size, number, style,
                        kCall, command.site);
    }
}

// Writes the word of NOC_AT_DATA. The bytes that are written are marked by their place in a flit.
void issue_inline_write(const Command& command) {
    constexpr std::uint64_t kBytesOfWord = 0xF;
    const std::uint64_t address = command.target();
    const std::uint64_t flit = command.thread.core().arch().noc.flit.value;
    const std::uint64_t marked =
        std::uint64_t{command.at(NOC_AT_LEN_BE_1)} << kWordBits | command.at(NOC_AT_LEN_BE);
    const std::uint64_t bytes = marked >> address % flit;
    if (command.has(NOC_CMD_BRCST_PACKET) || bytes == 0 || bytes > kBytesOfWord) {
        fault(FaultCategory::Unsupported, command.site,
              "NOC_CTRL is {:#x} and the bytes in NOC_AT_LEN_BE are {:#x} for an address {} bytes "
              "into a flit of {}; emulated of the inline writes: to one core, bytes of the word at "
              "the address",
              command.at(NOC_CTRL), marked, address % flit, flit);
    }
    const std::uint8_t detail =
        command.has(NOC_CMD_RESP_MARKED) ? 0 : tessera::TransferDetail::kPosted;
    write_word(command.thread, command.noc, address, command.at(NOC_AT_DATA),
               static_cast<std::uint8_t>(bytes), detail, kCall, command.site);
}

void issue(const Command& command) {
    const tessera::TransferStyle style{.limit = tessera::TransferLimit::OnePacket,
                                       .posted = !command.has(NOC_CMD_RESP_MARKED),
                                       .with_state = true};
    const std::uint32_t size = command.at(NOC_AT_LEN_BE);
    if (command.has(NOC_CMD_WR_BE) || command.at(NOC_BRCST_EXCLUDE) != 0) {
        fault(FaultCategory::Unsupported, command.site,
              "NOC_CTRL is {:#x} and NOC_BRCST_EXCLUDE {:#x}; not emulated through registers: "
              "NOC_CMD_WR_BE, receivers that a multicast leaves out",
              command.at(NOC_CTRL), command.at(NOC_BRCST_EXCLUDE));
    }
    if (command.has(NOC_CMD_AT)) {
        issue_atomic(command);
    } else if (!command.has(NOC_CMD_WR)) {
        issue_read(command.thread, command.noc, command.target(), command.at(NOC_RET_ADDR_LO), size,
                   {.limit = style.limit, .with_state = true}, command.site);
    } else if (command.has(NOC_CMD_WR_INLINE)) {
        issue_inline_write(command);
    } else if (command.has(NOC_CMD_BRCST_PACKET)) {
        issue_multicast(command);
    } else {
        issue_write(command.thread, command.noc, command.at(NOC_TARG_ADDR_LO),
                    command.destination(), size, style, command.site);
    }
}

NocRegisters& registers_of(KernelThread& thread, std::uint32_t noc, std::uint32_t buf,
                           std::uint32_t reg, CallSite site) {
    if (noc >= thread.noc.size() || buf >= tessera::kCommandBuffers ||
        reg / sizeof(std::uint32_t) >= NocRegisters::kWords || reg % sizeof(std::uint32_t) != 0) {
        fault(FaultCategory::OutOfBounds, site,
              "no register {:#x} in command buffer {} of NoC {}; allowed: the constants NOC_…, "
              "command buffers 0 to {}, NoCs 0 and 1",
              reg, buf, noc, tessera::kCommandBuffers - 1);
    }
    return thread.noc[noc].registers[buf];
}

}  // namespace

void NOC_CMD_BUF_WRITE_REG(std::uint32_t noc, std::uint32_t buf, std::uint32_t reg,
                           std::uint32_t value, CallSite site) {
    KernelThread& thread = current_thread();
    NocRegisters& registers = registers_of(thread, noc, buf, reg, site);
    if (reg == NOC_CMD_CTRL) {
        if (value == NOC_CTRL_SEND_REQ) {
            issue({thread, registers, noc, site});
        }
        return;
    }
    registers.at(reg) = value;
    if (reg == NOC_PACKET_TAG) {
        // The tag of ID 1 is the unit of tags: the header alone states where the ID begins.
        const std::uint32_t id = value / NOC_PACKET_TAG_TRANSACTION_ID(1);
        if (buf == read_cmd_buf) {
            noc_async_read_set_trid(id, static_cast<std::uint8_t>(noc), site);
        } else {
            noc_async_write_set_trid(id, static_cast<std::uint8_t>(noc), site);
        }
    }
    if (reg == NOC_CTRL) {
        record_run(thread, tessera::EventKind::NocSetState,
                   static_cast<std::uint8_t>(noc | tessera::TransferDetail::kOnePacket), 0, site);
    }
}

std::uint32_t NOC_CMD_BUF_READ_REG(std::uint32_t noc, std::uint32_t buf, std::uint32_t reg,
                                   CallSite site) {
    KernelThread& thread = current_thread();
    NocRegisters& registers = registers_of(thread, noc, buf, reg, site);
    if (reg == NOC_NODE_ID) {
        const tessera::CoreCoord own = thread.core().virtual_coord();
        return NOC_XY_ENCODING(own.x, own.y);
    }
    return registers.at(reg);
}
