// SPDX-License-Identifier: Apache-2.0
// Reads pages of an interleaved buffer into a CB, one page per barrier. Pages form runs; `skipped`
// pages after each run are not read. After all pages the core stores `filler_words` zeros, the
// padding of an output. Runtime args: address of the buffer, first page, its index in its run,
// number of pages.

void kernel_main() {
    const uint32_t run = get_compile_time_arg_val(0);
    const uint32_t skipped = get_compile_time_arg_val(1);
    const uint32_t filler_words = get_compile_time_arg_val(2);
    constexpr auto args = TensorAccessorArgs<3>();
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    constexpr uint32_t cb_filler = tt::CBIndex::c_1;
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0));
    uint32_t page = get_arg_val<uint32_t>(1);
    uint32_t place = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);

    for (uint32_t i = 0; i < count; ++i) {
        cb_reserve_back(cb_tiles, 1);
        noc_async_read_page(page, pages, get_write_ptr(cb_tiles));
        noc_async_read_barrier();
        cb_push_back(cb_tiles, 1);
        ++page;
        if (++place == run) {
            place = 0;
            page += skipped;
        }
    }
    if (filler_words == 0) {
        return;
    }
    cb_reserve_back(cb_filler, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_filler));
    for (uint32_t i = 0; i < filler_words; ++i) {
        words[i] = 0;
    }
    cb_push_back(cb_filler, 1);
}
