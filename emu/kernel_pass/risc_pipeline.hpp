// SPDX-License-Identifier: Apache-2.0
// The pipeline of a data-movement RISC, as far as instructions wait for each other in it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace tessera::kernel_pass {

/// What instructions take: tessera::InstructionCount, but for divisions, which depend on values.
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
};

/// Pipeline that issues instructions in order, one a cycle, each when its operands are there. Loads
/// and stores have queues and latencies; a product is available one cycle late. The numbers and
/// their sources are in tessera/instruction_counters.hpp. Loads whose values are not used follow
/// each other at four in seven cycles. Wormhole's multiplications also block the next instruction,
/// which `risc.product` prices.
class RiscPipeline {
public:
    /// Issues the next instruction. A call of the API takes longer than all that is under way.
    IssueCycles issue(const llvm::Instruction& instruction);
    /// What is under way where code goes on behind this pipeline's or behind the other one's.
    void merge(const RiscPipeline& other);
    /// Goes on to `next` from `block`: the values that flow there have its names from now on.
    void enter(const llvm::BasicBlock& next, const llvm::BasicBlock& block);

    friend bool operator==(const RiscPipeline& a, const RiscPipeline& b);

private:
    /// A value on its way.
    struct Pending {
        std::int64_t at = 0;
        bool is_product = false;
        friend bool operator==(const Pending&, const Pending&) = default;
    };
    using Queue = llvm::SmallVector<std::int64_t, 4>;

    [[nodiscard]] Pending pending_for(const llvm::Instruction& instruction) const;
    IssueCycles wait_for_operands(const llvm::Instruction& instruction);
    IssueCycles issue_load();
    IssueCycles issue_store();
    std::int64_t wait_for_room(Queue& queue, std::size_t room);
    void clear();

    std::int64_t now_ = 0;
    Queue loads_;   // when each load in flight has made room for another
    Queue stores_;  // when each store in the queue has left it
    llvm::DenseMap<const llvm::Value*, Pending> values_;
};

/// The pipeline in front of each block, with loops in their stride.
[[nodiscard]] llvm::DenseMap<const llvm::BasicBlock*, RiscPipeline> pipelines_of(
    llvm::Function& function);

}  // namespace tessera::kernel_pass
