// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/events.hpp"

namespace tessera::timing {
namespace {

bool is_met(const EngineThread& thread, const Word& word) {
    const TraceEvent& event = thread.event();
    return word.meets(static_cast<WaitTest>(event.detail), event.count);
}

// Tests each waiter: a core's RISCs may wait on one word for different values.
void wake_waiters(ReplayState& state, Word& word, const WaitCause& cause) {
    std::erase_if(word.waiters, [&](std::uint32_t waiter) {
        EngineThread& thread = state.threads[waiter];
        if (!is_met(thread, word)) {
            return false;
        }
        thread.woken_at = state.now;
        thread.woken_object = thread.blocked_object;
        thread.woken_by = cause;
        state.wake(waiter);
        return true;
    });
}

}  // namespace

Word& word_at(ReplayState& state, std::uint32_t core, std::uint32_t address) {
    return state.words[std::uint64_t{core} << 32U | address];
}

Progress do_local_word(ReplayState& state, EngineThread& thread) {
    if (!thread.is_issued) {
        thread.log.spend(Activity::SemaphoreIssue, thread.site(), state.costs.risc.local_word);
        thread.is_issued = true;
    }
    // Other cores add to the word: a store replayed ahead of their additions would erase them.
    if (!state.is_due(thread)) {
        return Progress::Held;
    }
    const TraceEvent& event = thread.event();
    Word& word = word_at(state, thread.core, static_cast<std::uint32_t>(event.argument));
    word.note_store(event.count, thread.index, thread.site());
    word.store(event.count);
    // The thread may be later than the queue's last event. Waiters wake at the thread's time.
    state.now = thread.log.now();
    wake_waiters(state, word, {thread.index, thread.site(), state.now, {}});
    return Progress::Finished;
}

Progress do_semaphore_wait(ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    const auto address = static_cast<std::uint32_t>(event.argument);
    if (thread.block == Block::None && !state.is_due(thread)) {
        return Progress::Held;
    }
    Word& word = word_at(state, thread.core, address);
    if (thread.block == Block::None && !is_met(thread, word)) {
        word.waiters.push_back(thread.index);
        return hold(thread, Block::Semaphore, Activity::WaitSemaphore, address);
    }
    end_wait(state, thread);
    // A kernel that waits for 1, 2, 3 in turn must not find the 1 of the previous round.
    word.forget_before(event.count);
    thread.log.spend(Activity::BarrierPoll, thread.site(), state.costs.risc.semaphore_poll);
    return Progress::Finished;
}

void change_word(ReplayState& state, std::uint32_t core, std::uint32_t address, WordChange change,
                 std::uint32_t value, const WaitCause& cause) {
    if (core == kNoThread) {
        return;  // no kernel runs there: no thread can wait on it in this launch
    }
    Word& word = word_at(state, core, address);
    if (change == WordChange::Add) {
        word.add(value);
    } else {
        word.note_store(value, cause.thread, cause.site);
        word.write(value);
    }
    wake_waiters(state, word, cause);
}

}  // namespace tessera::timing
