// SPDX-License-Identifier: Apache-2.0
// Selects the largest elements of rows that several processors share. Each sorts some columns and
// sends the list to the cores of all; then each merges its part of the result out of all lists.
#include "../../shared/kernels/word_list.hpp"
#include "likely_columns.hpp"
#include "lists.hpp"
#include "sorted_columns.hpp"
#include "team.hpp"

namespace {

// Sends a list to the cores of all.
void send(const Team& team, const Lists& lists, const Entries entries, uint32_t count) {
    const auto length = reinterpret_cast<Words>(own_l1(Cb::Histogram));
    length[0] = count;
    const uint32_t list = lists.l1_addr + team.range.sharer * lists.entries * sizeof(Entry);
    const uint32_t length_l1 = lists.lengths_l1 + team.range.sharer * kLengthBytes;
    for (uint32_t core = 0; core < team.num_cores(); ++core) {
        if (count > 0) {
            noc_async_write(reinterpret_cast<uint32_t>(entries), team.on_core(core, list),
                            count * sizeof(Entry));
        }
        noc_async_write(own_l1(Cb::Histogram), team.on_core(core, length_l1), kLengthBytes);
    }
    noc_async_write_barrier();
}

// Merges this processor's part of the result; −1 after the last visible column.
template <class Accessor>
void write_part(const Accessor& output, uint32_t row, const Lists& lists, Part part,
                uint32_t wanted) {
    const auto ids = reinterpret_cast<Words>(own_l1(Cb::Scores));
    const uint32_t found = part.first < wanted ? smaller(part.count, wanted - part.first) : 0;
    uint32_t from[kMostSharers];
    find_ranks(lists, smaller(part.first, wanted), from);
    Merge merge(lists, from);
    for (uint32_t i = 0; i < found; ++i) {
        ids[i] = merge.next_column();
    }
    for (uint32_t i = found; i < part.count; ++i) {
        ids[i] = kNoColumn;
    }
    if (part.count > 0) {
        noc_async_write(own_l1(Cb::Scores), output.get_noc_addr(row, part.first * sizeof(uint32_t)),
                        part.count * sizeof(uint32_t));
        noc_async_write_barrier();
    }
}

}  // namespace

void kernel_main() {
    const auto args = SelectArgs::read();
    const auto share = ShareArgs::read();
    const Team team{SharedRows::read(), share.sharers};
    const TensorAccessor scores(SelectTensors::scores(), SelectTensors::scores_address(kTensorArg));
    const TensorAccessor position_list(SelectTensors::positions(),
                                       SelectTensors::positions_address(kTensorArg));
    const TensorAccessor output(SelectTensors::indices(),
                                SelectTensors::indices_address(kTensorArg));
    WordList<PageAccessor> positions{position_list, args.list_width == 0 ? 1 : args.list_width,
                                     own_l1(Cb::Positions)};
    const Lists lists{share.sharers, share.list_entries, get_write_ptr(index_of(Cb::Lists)),
                      get_write_ptr(index_of(Cb::Lengths))};

    uint32_t row = team.range.first_row;
    for (uint32_t round = 0; round < team.range.num_rows; ++round, row += team.range.row_step) {
        const uint32_t visible = visible_columns(args, positions, row);
        const uint32_t wanted = smaller(visible, args.k);
        const Part columns = Part::of(visible, share.sharers, team.range.sharer);
        const auto words = read_columns(scores, row, columns);
        uint32_t count = columns.count;
        if (share.counts_first != 0) {
            // The counts of the row before may still be used.
            team.wait(team.range.finished_semaphore, round);
            count = gather_likely(team, words, columns, wanted, round);
        } else {
            gather_all(words, columns);
        }
        const Entries sorted = sort_entries(count);
        // The lists of the row before may still be merged.
        team.wait(team.range.finished_semaphore, round);
        send(team, lists, sorted, smaller(count, args.k));
        team.signal(team.range.arrived_semaphore);
        team.wait(team.range.arrived_semaphore, round + 1);
        write_part(output, row, lists, Part::of(args.k, share.sharers, team.range.sharer), wanted);
        team.signal(team.range.finished_semaphore);
    }
    noc_async_atomic_barrier();
}
