// SPDX-License-Identifier: Apache-2.0
// Model of a data-movement RISC's pipeline that covers the waits of instructions for each other.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace tessera::kernel_pass {

/// Costs of instructions: tessera::InstructionCount without divisions, which depend on values.
struct IssueCycles {
    std::int64_t slots = 0;
    std::int64_t load_waits = 0;
    std::int64_t store_waits = 0;
    std::int64_t products = 0;

    IssueCycles& operator+=(const IssueCycles& other) {
        slots += other.slots;
        load_waits += other.load_waits;
        store_waits += other.store_waits;
        products += other.products;
        return *this;
    }
    friend IssueCycles operator*(const IssueCycles& one, std::int64_t count) {
        return {one.slots * count, one.load_waits * count, one.store_waits * count,
                one.products * count};
    }
};

/// Pipeline that issues instructions in order, one a cycle, each when its operands are there. Loads
/// and stores have queues and latencies; a product is available one cycle late. The numbers and
/// their sources are in tessera/instruction_counters.hpp. Loads whose values are not used follow
/// each other at four in seven cycles. Wormhole's multiplications also block the next instruction,
/// which `risc.product` prices.
class RiscPipeline {
public:
    /// Issues the next instruction. A call of the API takes longer than everything in flight.
    IssueCycles issue(const llvm::Instruction& instruction);
    /// Merges the state of another pipeline, where two paths join.
    void merge(const RiscPipeline& other);
    /// Moves from `block` to `next`: values that flow there get the names of its phis.
    void enter(const llvm::BasicBlock& next, const llvm::BasicBlock& block);

    friend bool operator==(const RiscPipeline& a, const RiscPipeline& b);

private:
    /// A value in flight.
    struct Pending {
        std::int64_t at = 0;
        bool is_product = false;
        friend bool operator==(const Pending&, const Pending&) = default;
    };
    using Queue = llvm::SmallVector<std::int64_t, 4>;

    [[nodiscard]] Pending pending_for(const llvm::Instruction& instruction) const;
    IssueCycles wait_for_operands(const llvm::Instruction& instruction);
    template <class IssueOne>
    IssueCycles issue_run(Queue& queue, std::uint64_t count, const IssueOne& issue_one);
    IssueCycles issue_load();
    IssueCycles issue_store();
    std::int64_t wait_for_room(Queue& queue, std::size_t room);
    void clear();

    std::int64_t now_ = 0;
    Queue loads_;   // times at which each load in flight makes space for another
    Queue stores_;  // times at which each store leaves the queue
    llvm::DenseMap<const llvm::Value*, Pending> values_;
};

/// Returns the pipeline at the start of each block, with loops in steady state.
[[nodiscard]] llvm::DenseMap<const llvm::BasicBlock*, RiscPipeline> pipelines_of(
    llvm::Function& function);

}  // namespace tessera::kernel_pass
