// SPDX-License-Identifier: Apache-2.0
// Builds the tables of this core's experts, a group at a time: L1 holds the next `entries` entries
// of each expert's tables, which are written out whenever they are full.

namespace {

constexpr uint32_t kCbSelected = 0;
constexpr uint32_t kCbWeights = 1;
constexpr uint32_t kCbLocalExperts = 2;
constexpr uint32_t kCbTokenTables = 3;
constexpr uint32_t kCbWeightTables = 4;
constexpr uint32_t kCbCounts = 5;
constexpr uint32_t kCountStride = 16;
constexpr uint32_t kNoToken = 0xFFFFFFFF;

// One expert's tables: where they lie in L1, and how far they are filled.
struct ExpertTable {
    uint32_t tokens_l1;
    uint32_t weights_l1;
    uint32_t count_l1;

    tt_l1_ptr uint32_t& count() const { return *reinterpret_cast<tt_l1_ptr uint32_t*>(count_l1); }
    void put(uint32_t place, uint32_t token, uint16_t weight) const {
        reinterpret_cast<tt_l1_ptr uint32_t*>(tokens_l1)[place] = token;
        reinterpret_cast<tt_l1_ptr uint16_t*>(weights_l1)[place] = weight;
    }
};

ExpertTable table_of(uint32_t member, uint32_t entries) {
    return {get_write_ptr(kCbTokenTables) + member * entries * (uint32_t)sizeof(uint32_t),
            get_write_ptr(kCbWeightTables) + member * entries * (uint32_t)sizeof(uint16_t),
            get_write_ptr(kCbCounts) + member * kCountStride};
}

// Where the tables go in DRAM.
struct Destination {
    TensorAccessor routed;
    TensorAccessor weights;
    TensorAccessor map;
    uint32_t num_tokens;
    uint32_t entries;

    // Writes the entries [first, first + entries) of an expert's tables, as far as there are any.
    void write(uint32_t expert, uint32_t first, const ExpertTable& table) const {
        const uint32_t left = num_tokens - first;
        const uint32_t length = left < entries ? left : entries;
        const uint32_t token_bytes = length * sizeof(uint32_t);
        const uint32_t offset = first * sizeof(uint32_t);
        noc_async_write(table.tokens_l1, routed.get_noc_addr(expert, offset), token_bytes);
        noc_async_write(table.tokens_l1, map.get_noc_addr(expert, offset), token_bytes);
        noc_async_write(table.weights_l1, weights.get_noc_addr(expert, first * sizeof(uint16_t)),
                        length * sizeof(uint16_t));
        noc_async_writes_flushed();
    }

    void append(uint32_t expert, const ExpertTable& table, uint32_t token, uint16_t weight) const {
        table.put(table.count() % entries, token, weight);
        table.count() += 1;
        if (table.count() % entries == 0) {
            write(expert, table.count() - entries, table);
        }
    }

    // Writes what has not been written, with padding up to the end of the rows.
    void finish(uint32_t expert, const ExpertTable& table) const {
        uint32_t filled = table.count() % entries;
        for (uint32_t first = table.count() - filled; first < num_tokens; first += entries) {
            for (uint32_t place = filled; place < entries; ++place) {
                table.put(place, kNoToken, 0);
            }
            filled = 0;
            write(expert, first, table);
        }
    }
};

}  // namespace

void kernel_main() {
    const uint32_t local_experts_addr = get_arg_val<uint32_t>(0);
    const uint32_t counts_addr = get_arg_val<uint32_t>(1);
    const uint32_t routed_addr = get_arg_val<uint32_t>(2);
    const uint32_t weights_addr = get_arg_val<uint32_t>(3);
    const uint32_t map_addr = get_arg_val<uint32_t>(4);
    const uint32_t first_expert = get_arg_val<uint32_t>(5);
    const uint32_t num_experts = get_arg_val<uint32_t>(6);
    const uint32_t num_tokens = get_compile_time_arg_val(0);
    const uint32_t top_k = get_compile_time_arg_val(1);
    const uint32_t selected_page = get_compile_time_arg_val(2);
    const uint32_t weights_page = get_compile_time_arg_val(3);
    const uint32_t block = get_compile_time_arg_val(4);
    const uint32_t entries = get_compile_time_arg_val(5);
    const uint32_t group = get_compile_time_arg_val(6);
    const uint32_t num_local_experts = get_compile_time_arg_val(7);
    constexpr auto local_experts_args = TensorAccessorArgs<8>();
    constexpr auto counts_args =
        TensorAccessorArgs<local_experts_args.next_compile_time_args_offset()>();
    constexpr auto routed_args = TensorAccessorArgs<counts_args.next_compile_time_args_offset()>();
    constexpr auto weights_args = TensorAccessorArgs<routed_args.next_compile_time_args_offset()>();
    constexpr auto map_args = TensorAccessorArgs<weights_args.next_compile_time_args_offset()>();
    const auto local_experts = TensorAccessor(local_experts_args, local_experts_addr);
    const auto counts = TensorAccessor(counts_args, counts_addr);
    const Destination destination{TensorAccessor(routed_args, routed_addr),
                                  TensorAccessor(weights_args, weights_addr),
                                  TensorAccessor(map_args, map_addr), num_tokens, entries};

    const uint32_t ids_l1 = get_write_ptr(kCbLocalExperts);
    noc_async_read(local_experts.get_noc_addr(0), ids_l1, num_local_experts * sizeof(uint32_t));
    noc_async_read_barrier();
    const auto* ids = reinterpret_cast<tt_l1_ptr uint32_t*>(ids_l1);

    const uint32_t end_expert = first_expert + num_experts;
    for (uint32_t group_first = first_expert; group_first < end_expert; group_first += group) {
        const uint32_t experts_left = end_expert - group_first;
        const uint32_t members = experts_left < group ? experts_left : group;
        for (uint32_t member = 0; member < members; ++member) {
            table_of(member, entries).count() = 0;
        }
        for (uint32_t first = 0; first < num_tokens; first += block) {
            const uint32_t rows_left = num_tokens - first;
            const uint32_t rows = rows_left < block ? rows_left : block;
            cb_wait_front(kCbSelected, block);
            cb_wait_front(kCbWeights, block);
            for (uint32_t row = 0; row < rows; ++row) {
                const auto* selected = reinterpret_cast<tt_l1_ptr uint32_t*>(
                    get_read_ptr(kCbSelected) + row * selected_page);
                const auto* weights = reinterpret_cast<tt_l1_ptr uint16_t*>(
                    get_read_ptr(kCbWeights) + row * weights_page);
                for (uint32_t member = 0; member < members; ++member) {
                    const uint32_t expert = group_first + member;
                    for (uint32_t k = 0; k < top_k; ++k) {
                        if (selected[k] == ids[expert]) {
                            destination.append(expert, table_of(member, entries), first + row,
                                               weights[k]);
                            break;
                        }
                    }
                }
            }
            cb_pop_front(kCbSelected, block);
            cb_pop_front(kCbWeights, block);
        }
        for (uint32_t member = 0; member < members; ++member) {
            const ExpertTable table = table_of(member, entries);
            destination.finish(group_first + member, table);
            noc_async_write(table.count_l1, counts.get_noc_addr(group_first + member),
                            sizeof(uint32_t));
        }
        noc_async_write_barrier();
    }
}
