// SPDX-License-Identifier: Apache-2.0
#include "emu/kernel_pass/loop_rounds.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/loop_rounds.hpp"

namespace tessera::kernel_pass {
namespace {

// Calls that sleep until another thread acts.
constexpr std::array<std::string_view, 4> kBlockingCalls{
    "cb_reserve_back(", "cb_wait_front(", "noc_semaphore_wait(", "noc_semaphore_wait_min("};
// Calls that yield in each iteration of the enclosing loop.
constexpr std::array<std::string_view, 3> kPollingCalls{
    "cb_pages_available_at_front(", "cb_pages_reservable_at_back(", "invalidate_l1_cache("};

/// Properties of a loop that decide whether another thread can end it.
struct LoopTraits {
    bool loads = false;   ///< from memory that other threads may write
    bool blocks = false;  ///< calls a function that sleeps
    bool polls = false;   ///< calls a function that yields
    bool calls = false;   ///< calls the machine, or code that is not inlined
    bool stores = false;  ///< to memory that it may also load
};

template <std::size_t Count>
bool is_one_of(const std::string& name, const std::array<std::string_view, Count>& calls) {
    return llvm::any_of(calls, [&](std::string_view call) { return name.rfind(call, 0) == 0; });
}

// Counters of instruction_count.hpp, which are found through a variable of the machine.
bool is_counter(const llvm::Value* object) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
    return load != nullptr &&
           llvm::isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(load->getPointerOperand()));
}

// The stack is private to the thread. So are variables: the kernel's are in the window at this
// point, so the rest belongs to the machine.
bool is_shared(const llvm::Value* pointer) {
    const llvm::Value* object = llvm::getUnderlyingObject(pointer);
    return !llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object) && !is_counter(object);
}

// A function of the machine handles its own waits; a function of the kernel may load.
void add_call(const llvm::CallBase& call, LoopTraits& traits) {
    const llvm::Function* callee = call.getCalledFunction();
    if (call.isInlineAsm() || (callee != nullptr && callee->isIntrinsic())) {
        traits.loads |= llvm::isa<llvm::MemTransferInst>(call);
        return;
    }
    traits.calls = true;
    if (callee == nullptr || !callee->isDeclaration()) {
        traits.loads |= call.mayReadFromMemory();
        return;
    }
    const std::string name = llvm::demangle(callee->getName().str());
    traits.blocks |= is_one_of(name, kBlockingCalls);
    traits.polls |= is_one_of(name, kPollingCalls);
}

LoopTraits traits_of(const llvm::Loop& loop) {
    LoopTraits traits;
    for (const llvm::BasicBlock* block : loop.blocks()) {
        for (const llvm::Instruction& instruction : *block) {
            if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
                add_call(*call, traits);
            } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
                traits.loads |= is_shared(load->getPointerOperand());
            } else {
                const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
                traits.stores |=
                    store == nullptr
                        ? instruction.mayWriteToMemory()
                        : !is_counter(llvm::getUnderlyingObject(store->getPointerOperand()));
                traits.loads |=
                    llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction);
            }
        }
    }
    return traits;
}

bool is_known(const llvm::SCEV* count) {
    return !llvm::isa<llvm::SCEVCouldNotCompute>(count);
}

// Returns whether a value of the loop depends on earlier iterations other than through memory.
bool is_carried(const llvm::Value* value, const llvm::Loop& loop,
                llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(value).second) {
        return false;
    }
    return llvm::isa<llvm::PHINode>(instruction) ||
           llvm::any_of(instruction->operands(),
                        [&](const llvm::Use& use) { return is_carried(use.get(), loop, seen); });
}

// Returns whether only loaded values can end the loop. Each iteration then repeats the previous one
// until another thread stores a value.
bool only_polls(const llvm::Loop& loop, const LoopTraits& traits) {
    if (traits.calls || traits.stores) {
        return false;
    }
    llvm::SmallVector<llvm::BasicBlock*> exiting;
    loop.getExitingBlocks(exiting);
    llvm::SmallPtrSet<const llvm::Value*, 16> seen;
    return llvm::none_of(exiting, [&](const llvm::BasicBlock* block) {
        return llvm::any_of(block->getTerminator()->operands(), [&](const llvm::Use& use) {
            return is_carried(use.get(), loop, seen);
        });
    });
}

// Returns whether the loop loads until a loaded value ends it.
bool reads_on(const llvm::Loop& loop, llvm::ScalarEvolution& evolution, const LoopTraits& traits) {
    return !traits.blocks && traits.loads && !is_known(evolution.getBackedgeTakenCount(&loop));
}

// Returns whether a count is known and no loop with it runs for minutes. A count of 64 bits may have
// wrapped below 0: `i < count - 100` of a count of 64.
bool ends_by_itself(const llvm::SCEV* count, llvm::ScalarEvolution& evolution) {
    constexpr unsigned kMostBits = 33;  // of a 32-bit number, plus one
    return is_known(count) && evolution.getUnsignedRangeMax(count).getActiveBits() <= kMostBits;
}

// Returns nothing if the loop needs no watching.
std::optional<LoopKind> kind_of(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
    const LoopTraits traits = traits_of(loop);
    // A loop that blocks may serve other threads as long as they have requests.
    if (loop.hasNoExitBlocks() && !traits.blocks) {
        return LoopKind::Endless;
    }
    if (ends_by_itself(evolution.getBackedgeTakenCount(&loop), evolution) ||
        (!traits.blocks && traits.polls)) {
        return std::nullopt;
    }
    // A polling loop with a bound, a timeout, must yield, too.
    if (reads_on(loop, evolution, traits)) {
        return only_polls(loop, traits) ? LoopKind::PollsL1 : LoopKind::PollsOrComputes;
    }
    if (ends_by_itself(evolution.getSymbolicMaxBackedgeTakenCount(&loop), evolution)) {
        return std::nullopt;
    }
    return traits.calls ? LoopKind::CallsApi : LoopKind::Computes;
}

/// A loop to change. The analysis of each other loop stays valid after the change.
struct WatchedLoop {
    llvm::BasicBlock* preheader;
    llvm::BasicBlock* header;
    llvm::BasicBlock* latch;
    llvm::DebugLoc place;
    LoopKind kind;
};

llvm::DebugLoc place_of(const llvm::Loop& loop) {
    if (llvm::DebugLoc start = loop.getStartLoc()) {
        return start;
    }
    for (const llvm::Instruction& instruction : *loop.getHeader()) {
        if (instruction.getDebugLoc()) {
            return instruction.getDebugLoc();
        }
    }
    return {};
}

llvm::SmallVector<WatchedLoop> watched_loops(llvm::LoopInfo& loops,
                                             llvm::ScalarEvolution& evolution) {
    llvm::SmallVector<WatchedLoop> watched;
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
        if (loop->getLoopPreheader() == nullptr || loop->getLoopLatch() == nullptr) {
            continue;
        }
        if (const auto kind = kind_of(*loop, evolution)) {
            watched.push_back({loop->getLoopPreheader(), loop->getHeader(), loop->getLoopLatch(),
                               place_of(*loop), *kind});
        }
    }
    return watched;
}

void call_hook(const WatchedLoop& loop, llvm::Value* rounds, llvm::Instruction* place) {
    llvm::IRBuilder<> builder(place);
    builder.SetCurrentDebugLocation(loop.place);
    const llvm::DILocation* location = loop.place.get();
    const std::string file = location == nullptr ? "" : location->getFilename().str();
    auto* bytes = llvm::PointerType::get(builder.getInt8Ty(), 0);
    const llvm::FunctionCallee hook = place->getModule()->getOrInsertFunction(
        "tessera_loop_rounds", builder.getVoidTy(), builder.getInt64Ty(), bytes,
        builder.getInt32Ty(), builder.getInt32Ty());
    auto* call =
        builder.CreateCall(hook, {rounds, builder.CreateGlobalStringPtr(file),
                                  builder.getInt32(location == nullptr ? 0 : location->getLine()),
                                  builder.getInt32(static_cast<std::uint32_t>(loop.kind))});
    call->addFnAttr(llvm::Attribute::Cold);
}

// rounds = phi [0, preheader], [rounds + 1, latch]; at the latch, if rounds + 1 is a multiple of
// kLoopRoundsPerCall: tessera_loop_rounds(rounds + 1, …).
void watch(const WatchedLoop& loop) {
    llvm::IRBuilder<> builder(loop.latch->getTerminator());
    auto* type = builder.getInt64Ty();
    llvm::PHINode* rounds = llvm::PHINode::Create(type, 2, "rounds", &loop.header->front());
    llvm::Value* next = builder.CreateAdd(rounds, builder.getInt64(1));
    llvm::Value* is_due =
        builder.CreateICmpEQ(builder.CreateAnd(next, kLoopRoundsPerCall - 1), builder.getInt64(0));
    auto* weights = llvm::MDBuilder(builder.getContext()).createBranchWeights(1, 1'000'000);
    llvm::Instruction* end = loop.latch->getTerminator();
    call_hook(loop, next, llvm::SplitBlockAndInsertIfThen(is_due, end, false, weights));
    rounds->addIncoming(builder.getInt64(0), loop.preheader);
    rounds->addIncoming(next, end->getParent());
}

}  // namespace

bool may_wait(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
    const LoopTraits traits = traits_of(loop);
    return !traits.blocks && (traits.polls || reads_on(loop, evolution, traits));
}

bool polls(const llvm::Instruction& instruction) {
    LoopTraits traits;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        add_call(*call, traits);
    }
    return traits.polls;
}

llvm::PreservedAnalyses LoopRounds::run(llvm::Function& function,
                                        llvm::FunctionAnalysisManager& analyses) {
    const auto loops = watched_loops(analyses.getResult<llvm::LoopAnalysis>(function),
                                     analyses.getResult<llvm::ScalarEvolutionAnalysis>(function));
    for (const WatchedLoop& loop : loops) {
        watch(loop);
    }
    return loops.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace tessera::kernel_pass
