// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/risc_pipeline.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <utility>

#include "emu/kernel_pass/instruction_class.hpp"
#include "tessera/instruction_counters.hpp"

namespace tessera::kernel_pass {
namespace {

// A queue of four stores that gains one cycle per store is full after twenty.
constexpr std::uint64_t kSteadyAfter = 32;
// Words that a run of loads or stores counts at most, 2^18 times as many as L1 has. A kernel whose
// fill has a random length compiles, and sums stay far below 2^63.
constexpr std::uint64_t kMostWords = std::uint64_t{1} << 36U;

using Pipelines = llvm::DenseMap<const llvm::BasicBlock*, RiscPipeline>;

// Returns the pipeline at the start of a block, merged over its known predecessors.
RiscPipeline at_begin(llvm::BasicBlock& block, const Pipelines& behind) {
    RiscPipeline begin;
    for (llvm::BasicBlock* before : llvm::predecessors(&block)) {
        const auto found = behind.find(before);
        if (found != behind.end()) {
            RiscPipeline pipeline = found->second;
            pipeline.enter(block, *before);
            begin.merge(pipeline);
        }
    }
    return begin;
}

}  // namespace

IssueCycles RiscPipeline::issue(const llvm::Instruction& instruction) {
    const Instructions parts = class_of(instruction);
    if (leaves_kernel(instruction) && parts.loads == 0) {
        const IssueCycles waits = wait_for_operands(instruction);
        clear();
        return waits;
    }
    if (parts == Instructions{}) {
        // Not an instruction of the core, such as address arithmetic of the host.
        const Pending last = pending_for(instruction);
        if (last.at > now_) {
            values_[&instruction] = last;
        }
        return {};
    }
    IssueCycles all = wait_for_operands(instruction);
    all += issue_run(loads_, parts.loads, [this] { return issue_load(); });
    if (parts.loads != 0) {
        values_[&instruction] = {now_ + kLoadLatency - 1, false};
    }
    all += issue_run(stores_, parts.stores, [this] { return issue_store(); });
    if (parts.products != 0) {
        values_[&instruction] = {now_ + kProductLatency, true};
    }
    const auto slots = static_cast<std::int64_t>(parts.plain + parts.products);
    now_ += slots + static_cast<std::int64_t>(parts.divisions) * kDivision;
    all += {slots, 0, 0, static_cast<std::int64_t>(parts.products)};
    return all;
}

// A fill of memory is one instruction with a store for each word. Its queue is full after
// kSteadyAfter of them, and each further one costs the same: counted one by one, a fill of 128 GiB
// took the compiler more than its minute.
template <class IssueOne>
IssueCycles RiscPipeline::issue_run(Queue& queue, std::uint64_t count, const IssueOne& issue_one) {
    IssueCycles all;
    IssueCycles last;
    std::int64_t cycles = 0;
    const std::uint64_t first = std::min(count, kSteadyAfter);
    for (std::uint64_t i = 0; i < first; ++i) {
        const std::int64_t before = now_;
        last = issue_one();
        cycles = now_ - before;
        all += last;
    }
    const auto rest = static_cast<std::int64_t>(std::min(count - first, kMostWords));
    all += last * rest;
    now_ += cycles * rest;
    for (std::int64_t& at : queue) {
        at += cycles * rest;
    }
    return all;
}

RiscPipeline::Pending RiscPipeline::pending_for(const llvm::Instruction& instruction) const {
    Pending last;
    for (const llvm::Use& operand : instruction.operands()) {
        const auto found = values_.find(operand.get());
        if (found != values_.end() && found->second.at > last.at) {
            last = found->second;
        }
    }
    return last;
}

IssueCycles RiscPipeline::wait_for_operands(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::PHINode>(instruction)) {
        return {};
    }
    const Pending last = pending_for(instruction);
    const std::int64_t wait = std::max<std::int64_t>(last.at - now_, 0);
    now_ += wait;
    // One cycle on either chip. If products block the next instruction, a product whose result is
    // awaited has this cycle in place of that one (InstructionCount::products).
    return last.is_product && wait > 0 ? IssueCycles{wait, 0, 0, -1} : IssueCycles{0, wait, 0, 0};
}

std::int64_t RiscPipeline::wait_for_room(Queue& queue, std::size_t room) {
    std::int64_t wait = 0;
    if (queue.size() >= room) {
        wait = std::max<std::int64_t>(queue.front() - now_, 0);
        queue.erase(queue.begin());
    }
    now_ += wait;
    return wait;
}

IssueCycles RiscPipeline::issue_load() {
    const std::int64_t wait = wait_for_room(loads_, kLoadsInFlight);
    loads_.push_back(now_ + kLoadLatency - 1);
    ++now_;
    return {1, wait, 0, 0};
}

IssueCycles RiscPipeline::issue_store() {
    const std::int64_t wait = wait_for_room(stores_, kStoreQueue);
    const std::int64_t turn = stores_.empty() ? now_ : std::max(stores_.back(), now_);
    stores_.push_back(turn + kStorePeriod);
    ++now_;
    return {1, 0, wait, 0};
}

void RiscPipeline::clear() {
    now_ = 0;
    loads_.clear();
    stores_.clear();
    values_.clear();
}

void RiscPipeline::merge(const RiscPipeline& other) {
    const auto later_of = [](Queue& mine, const Queue& theirs) {
        if (mine.size() < theirs.size()) {
            mine.insert(mine.begin(), theirs.size() - mine.size(), 0);
        }
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            std::int64_t& at = mine[mine.size() - theirs.size() + i];
            at = std::max(at, theirs[i]);
        }
    };
    later_of(loads_, other.loads_);
    later_of(stores_, other.stores_);
    for (const auto& [value, pending] : other.values_) {
        Pending& mine = values_[value];
        mine = mine.at < pending.at ? pending : mine;
    }
}

void RiscPipeline::enter(const llvm::BasicBlock& next, const llvm::BasicBlock& block) {
    for (const llvm::PHINode& phi : next.phis()) {
        const auto found = values_.find(phi.getIncomingValueForBlock(&block));
        if (found != values_.end()) {
            const Pending incoming = found->second;
            values_[&phi] = incoming;
        }
    }
    const auto from_now = [this](Queue& queue) {
        for (std::int64_t& at : queue) {
            at -= now_;
        }
        queue.erase(std::remove_if(queue.begin(), queue.end(), [](auto at) { return at <= 0; }),
                    queue.end());
    };
    from_now(loads_);
    from_now(stores_);
    llvm::DenseMap<const llvm::Value*, Pending> left;
    for (const auto& [value, pending] : values_) {
        // At most one cycle, which a branch takes.
        if (!pending.is_product && pending.at > now_) {
            left[value] = {pending.at - now_, false};
        }
    }
    values_ = std::move(left);
    now_ = 0;
}

bool operator==(const RiscPipeline& a, const RiscPipeline& b) {
    return a.now_ == b.now_ && a.loads_ == b.loads_ && a.stores_ == b.stores_ &&
           a.values_ == b.values_;
}

llvm::DenseMap<const llvm::BasicBlock*, RiscPipeline> pipelines_of(llvm::Function& function) {
    // A queue also gains a cycle per round.
    constexpr auto kMostRounds = static_cast<int>(kSteadyAfter);
    Pipelines before;
    Pipelines behind;
    const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&function);
    bool has_changed = true;
    for (int round = 0; has_changed && round < kMostRounds; ++round) {
        has_changed = false;
        for (llvm::BasicBlock* block : blocks) {
            RiscPipeline pipeline = at_begin(*block, behind);
            before[block] = pipeline;
            for (const llvm::Instruction& instruction : *block) {
                (void)pipeline.issue(instruction);
            }
            has_changed = has_changed || !(behind[block] == pipeline);
            behind[block] = std::move(pipeline);
        }
    }
    return before;
}

}  // namespace tessera::kernel_pass
