// SPDX-License-Identifier: Apache-2.0
// Device 2.0: one NoC as an object that moves bytes between endpoints of any kind.
// noc_traits_t converts the arguments of an endpoint to addresses. Transfers, barriers and errors
// are those of the free functions (tessera/kernel/dataflow/noc.hpp).
// Source   tt-metal tt_metal/hw/inc/experimental/noc.h and api/dataflow/noc.h.
#pragma once

#include <type_traits>

#include "tessera/kernel/chip.hpp"
#include "tessera/kernel/dataflow/multicast.hpp"
#include "tessera/kernel/dataflow/noc.hpp"

namespace experimental {

/// Addressing of endpoints of type T: types of arguments, and local_address(…) (in own L1),
/// noc_address(…) or multicast_address(…).
template <class T>
struct noc_traits_t;

/// Flags of a transfer since generation C; combine with |.
enum class NocOptions : std::uint32_t {
    DEFAULT = 0,
    TXN_ID = 1,
    POSTED = 2,
    CUSTOM_VC = 4,
    MCAST_INCL_SRC = 8,
    INLINE_L1 = 16,
    INLINE_REG = 32,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) {
    return static_cast<NocOptions>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has_option(NocOptions options, NocOptions option) {
    return (static_cast<std::uint32_t>(options) & static_cast<std::uint32_t>(option)) != 0;
}
constexpr bool has_flag(NocOptions options, NocOptions option) {
    return has_option(options, option);
}
/// Values for the options TXN_ID and CUSTOM_VC.
struct NocOptVals {
    std::uint32_t vc = NOC_UNICAST_WRITE_VC;
    std::uint32_t trid = 0;
};

/// One of the two NoCs, which transfers bytes between endpoints and waits for transfers.
class Noc {
public:
    enum class AddressType : std::uint8_t { NOC, LOCAL_L1 };
    enum class TxnIdMode : std::uint8_t { ENABLED, DISABLED };
    enum class ResponseMode : std::uint8_t { NON_POSTED, POSTED };
    enum class BarrierMode : std::uint8_t { TXN_ID, FULL };
    enum class McastMode : std::uint8_t { INCLUDE_SRC, EXCLUDE_SRC };
    enum class VcSelection : std::uint8_t { DEFAULT, CUSTOM };
    static constexpr std::uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

    using CallSite = tessera::CallSite;
    template <class T>
    using src_args_t = typename noc_traits_t<T>::src_args_type;
    template <class T>
    using dst_args_t = typename noc_traits_t<T>::dst_args_type;
    template <class T>
    using mcast_args_t = typename noc_traits_t<T>::dst_args_mcast_type;

    Noc() : noc_id_(noc_index) {}
    explicit Noc(std::uint8_t noc_id) : noc_id_(noc_id) {}
    [[nodiscard]] std::uint8_t get_noc_id() const { return noc_id_; }
    /// Return whether the coordinates, or those of the address, are those of the kernel's own core.
    [[nodiscard]] bool is_local_bank(std::uint32_t virtual_x, std::uint32_t virtual_y) const {
        return virtual_x == my_x[noc_id_] && virtual_y == my_y[noc_id_];
    }
    [[nodiscard]] bool is_local_addr(std::uint64_t address) const {
        return is_local_bank(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address));
    }

    /// Reads `size_bytes` at `src` into own L1 at `dst`.
    template <TxnIdMode txn_id_mode = TxnIdMode::DISABLED,
              std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true,
              class Src, class Dst>
    void async_read(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                    const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                    std::uint32_t /*vc*/ = NOC_UNICAST_WRITE_VC,
                    std::uint32_t trid = INVALID_TXN_ID, CallSite site = CallSite::here()) const {
        if constexpr (txn_id_mode == TxnIdMode::ENABLED) {
            noc_async_read_set_trid(trid, noc_id_, site);
        }
        noc_async_read<max_page_size>(noc_traits_t<Src>::noc_address(src, noc_id_, src_args, site),
                                      local_address(dst, dst_args, site), size_bytes, noc_id_, 0,
                                      site);
    }
    template <NocOptions options, std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, class Src, class Dst>
    void async_read(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                    const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                    const NocOptVals& values = {}, CallSite site = CallSite::here()) const {
        async_read<txn_id_mode_of(options), max_page_size>(src, dst, size_bytes, src_args, dst_args,
                                                           values.vc, values.trid, site);
    }

    /// Latches the node of later reads with state and, for reads of at most one packet, their size.
    template <VcSelection vc_selection = VcSelection::DEFAULT,
              std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Src>
    void set_async_read_state(const Src& src, std::uint32_t size_bytes,
                              const src_args_t<Src>& src_args, std::uint8_t /*vc*/ = 0,
                              CallSite site = CallSite::here()) const {
        const std::uint64_t address = noc_traits_t<Src>::noc_address(src, noc_id_, src_args, site);
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            noc_async_read_one_packet_set_state(address, size_bytes, noc_id_, 0, site);
        } else {
            noc_async_read_set_state(address, noc_id_, site);
        }
    }
    template <NocOptions options, std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Src>
    void set_async_read_state(const Src& src, std::uint32_t size_bytes,
                              const src_args_t<Src>& src_args, const NocOptVals& values = {},
                              CallSite site = CallSite::here()) const {
        if constexpr (has_option(options, NocOptions::TXN_ID)) {
            noc_async_read_set_trid(values.trid, noc_id_, site);
        }
        set_async_read_state<VcSelection::DEFAULT, max_page_size>(src, size_bytes, src_args, 0,
                                                                  site);
    }
    /// Reads from the latched node at the local address of `src`.
    template <VcSelection vc_selection = VcSelection::DEFAULT,
              std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Src, class Dst>
    void async_read_with_state(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                               const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                               std::uint8_t /*vc*/ = 0, CallSite site = CallSite::here()) const {
        const auto address = static_cast<std::uint32_t>(
            noc_traits_t<Src>::noc_address(src, noc_id_, src_args, site));
        const std::uint32_t target = local_address(dst, dst_args, site);
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            noc_async_read_one_packet_with_state(address, target, noc_id_, 0, site);
        } else {
            noc_async_read_with_state(address, target, size_bytes, noc_id_, site);
        }
    }
    template <NocOptions options, std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Src,
              class Dst>
    void async_read_with_state(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                               const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                               const NocOptVals& /*values*/ = {},
                               CallSite site = CallSite::here()) const {
        async_read_with_state<VcSelection::DEFAULT, max_page_size>(src, dst, size_bytes, src_args,
                                                                   dst_args, 0, site);
    }
    /// Latches the node of later writes with state, of at most one packet.
    template <ResponseMode response_mode = ResponseMode::NON_POSTED,
              std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Dst>
    void set_async_write_state(const Dst& dst, std::uint32_t size_bytes,
                               const dst_args_t<Dst>& dst_args, std::uint8_t /*vc*/ = 0,
                               CallSite site = CallSite::here()) const {
        noc_async_write_one_packet_set_state(
            noc_traits_t<Dst>::noc_address(dst, noc_id_, dst_args, site), size_bytes, noc_id_, 0,
            site);
    }
    template <NocOptions options, std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Dst>
    void set_async_write_state(const Dst& dst, std::uint32_t size_bytes,
                               const dst_args_t<Dst>& dst_args, const NocOptVals& /*values*/ = {},
                               CallSite site = CallSite::here()) const {
        set_async_write_state<response_mode_of(options)>(dst, size_bytes, dst_args, 0, site);
    }
    template <ResponseMode response_mode = ResponseMode::NON_POSTED,
              std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Src, class Dst>
    void async_write_with_state(const Src& src, const Dst& dst, std::uint32_t /*size_bytes*/,
                                const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                                std::uint8_t /*vc*/ = 0, CallSite site = CallSite::here()) const {
        noc_async_write_one_packet_with_state(
            local_address(src, src_args, site),
            static_cast<std::uint32_t>(
                noc_traits_t<Dst>::noc_address(dst, noc_id_, dst_args, site)),
            noc_id_, site);
    }
    template <NocOptions options, std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, class Src,
              class Dst>
    void async_write_with_state(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                                const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                                const NocOptVals& /*values*/ = {},
                                CallSite site = CallSite::here()) const {
        async_write_with_state<response_mode_of(options)>(src, dst, size_bytes, src_args, dst_args,
                                                          0, site);
    }

    /// Writes `size_bytes` of own L1 at `src` to `dst`.
    template <TxnIdMode txn_id_mode = TxnIdMode::DISABLED,
              ResponseMode response_mode = ResponseMode::NON_POSTED,
              std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true,
              class Src, class Dst>
    void async_write(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                     const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                     std::uint32_t /*vc*/ = NOC_UNICAST_WRITE_VC,
                     std::uint32_t trid = INVALID_TXN_ID, CallSite site = CallSite::here()) const {
        if constexpr (txn_id_mode == TxnIdMode::ENABLED) {
            noc_async_write_set_trid(trid, noc_id_, site);
        }
        noc_async_write<max_page_size, true, response_mode == ResponseMode::POSTED>(
            local_address(src, src_args, site),
            noc_traits_t<Dst>::noc_address(dst, noc_id_, dst_args, site), size_bytes, noc_id_, 0,
            site);
    }
    template <NocOptions options, std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, class Src, class Dst>
    void async_write(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                     const src_args_t<Src>& src_args, const dst_args_t<Dst>& dst_args,
                     const NocOptVals& values = {}, CallSite site = CallSite::here()) const {
        async_write<txn_id_mode_of(options), response_mode_of(options), max_page_size>(
            src, dst, size_bytes, src_args, dst_args, values.vc, values.trid, site);
    }

    /// Writes to every core of a rectangle. `num_dsts` is the number of receivers, as in the free
    /// functions.
    template <McastMode mcast_mode = McastMode::EXCLUDE_SRC, class Src, class Dst>
    void async_write_multicast(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                               std::uint32_t num_dsts, const src_args_t<Src>& src_args,
                               const mcast_args_t<Dst>& dst_args, bool linked = false,
                               CallSite site = CallSite::here()) const {
        const std::uint32_t source = local_address(src, src_args, site);
        const std::uint64_t target = noc_traits_t<Dst>::multicast_address(dst, noc_id_, dst_args);
        if constexpr (mcast_mode == McastMode::INCLUDE_SRC) {
            noc_async_write_multicast_loopback_src(source, target, size_bytes, num_dsts, linked,
                                                   noc_id_, site);
        } else {
            noc_async_write_multicast(source, target, size_bytes, num_dsts, linked, noc_id_, site);
        }
    }
    template <NocOptions options, std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, class Src, class Dst>
    void async_write_multicast(const Src& src, const Dst& dst, std::uint32_t size_bytes,
                               std::uint32_t num_dsts, const src_args_t<Src>& src_args,
                               const mcast_args_t<Dst>& dst_args, bool linked = false,
                               CallSite site = CallSite::here()) const {
        constexpr auto kMode = has_option(options, NocOptions::MCAST_INCL_SRC)
                                   ? McastMode::INCLUDE_SRC
                                   : McastMode::EXCLUDE_SRC;
        async_write_multicast<kMode>(src, dst, size_bytes, num_dsts, src_args, dst_args, linked,
                                     site);
    }

    /// Writes one 32-bit word.
    template <class Dst>
    void inline_dw_write(const Dst& dst, std::uint32_t val, const dst_args_t<Dst>& dst_args,
                         std::uint8_t be = 0xF, CallSite site = CallSite::here()) const {
        noc_inline_dw_write(noc_traits_t<Dst>::noc_address(dst, noc_id_, dst_args, site), val, be,
                            noc_id_, 0, site);
    }
    template <NocOptions options, class Dst>
    void inline_dw_write(const Dst& dst, std::uint32_t val, const dst_args_t<Dst>& dst_args,
                         std::uint8_t be = 0xF, const NocOptVals& /*values*/ = {},
                         CallSite site = CallSite::here()) const {
        inline_dw_write(dst, val, dst_args, be, site);
    }

    /// Fills own L1 at `dst` with zeros by reads of the core's zero area. write_zeros_l1_barrier
    /// waits for the reads.
    template <class Dst>
    void async_write_zeros(const Dst& dst, std::uint32_t size_bytes,
                           const dst_args_t<Dst>& args = {},
                           CallSite site = CallSite::here()) const {
        const std::uint32_t start = local_address(dst, args, site);
        for (std::uint32_t done = 0; done < size_bytes; done += MEM_ZEROS_SIZE) {
            const std::uint32_t left = size_bytes - done;
            noc_async_read(get_noc_addr(MEM_ZEROS_BASE, noc_id_), start + done,
                           left < MEM_ZEROS_SIZE ? left : MEM_ZEROS_SIZE, noc_id_, 0, site);
        }
    }
    /// Fills a page in DRAM with zeros by writes of `scratch`, which holds zeros for the whole page
    /// or for the largest packet.
    template <class Dst, class Scratch>
    void async_write_zeros(const Dst& dst, std::uint32_t size_bytes, const dst_args_t<Dst>& args,
                           const Scratch& scratch, CallSite site = CallSite::here()) const {
        const std::uint32_t source = local_address(scratch, src_args_t<Scratch>{}, site);
        const std::uint64_t target = noc_traits_t<Dst>::noc_address(dst, noc_id_, args, site);
        for (std::uint32_t done = 0; done < size_bytes; done += NOC_MAX_BURST_SIZE) {
            const std::uint32_t left = size_bytes - done;
            noc_async_write(source, target + done,
                            left < NOC_MAX_BURST_SIZE ? left : NOC_MAX_BURST_SIZE, noc_id_, 0,
                            site);
        }
    }
    void write_zeros_l1_barrier(CallSite site = CallSite::here()) const {
        noc_async_read_barrier(noc_id_, site);
    }
    void write_zeros_dram_barrier(CallSite site = CallSite::here()) const {
        noc_async_write_barrier(noc_id_, site);
    }

    template <NocOptions options>
    void async_read_barrier(const NocOptVals& values = {}, CallSite site = CallSite::here()) const {
        async_read_barrier<barrier_mode_of(options)>(values.trid, site);
    }
    template <BarrierMode barrier_type = BarrierMode::FULL>
    void async_read_barrier(std::uint32_t trid = INVALID_TXN_ID,
                            CallSite site = CallSite::here()) const {
        if constexpr (barrier_type == BarrierMode::FULL) {
            noc_async_read_barrier(noc_id_, site);
        } else {
            noc_async_read_barrier_with_trid(trid, noc_id_, site);
        }
    }
    template <NocOptions options>
    void async_write_barrier(const NocOptVals& values = {},
                             CallSite site = CallSite::here()) const {
        async_write_barrier<barrier_mode_of(options)>(values.trid, site);
    }
    template <BarrierMode barrier_type = BarrierMode::FULL>
    void async_write_barrier(std::uint32_t trid = INVALID_TXN_ID,
                             CallSite site = CallSite::here()) const {
        if constexpr (barrier_type == BarrierMode::FULL) {
            noc_async_write_barrier(noc_id_, site);
        } else {
            noc_async_write_barrier_with_trid(trid, noc_id_, site);
        }
    }
    template <NocOptions options>
    void async_writes_flushed(const NocOptVals& values = {},
                              CallSite site = CallSite::here()) const {
        async_writes_flushed<response_mode_of(options), barrier_mode_of(options)>(values.trid,
                                                                                  site);
    }
    template <ResponseMode response_mode = ResponseMode::NON_POSTED,
              BarrierMode barrier_type = BarrierMode::FULL>
    void async_writes_flushed(std::uint32_t trid = INVALID_TXN_ID,
                              CallSite site = CallSite::here()) const {
        if constexpr (barrier_type == BarrierMode::TXN_ID) {
            noc_async_write_flushed_with_trid(trid, noc_id_, site);
        } else if constexpr (response_mode == ResponseMode::POSTED) {
            noc_async_posted_writes_flushed(noc_id_, site);
        } else {
            noc_async_writes_flushed(noc_id_, site);
        }
    }
    /// Returns whether all reads of a transaction id have arrived.
    [[nodiscard]] bool is_read_trid_flushed(std::uint32_t trid,
                                            CallSite site = CallSite::here()) const {
        return ncrisc_noc_read_with_transaction_id_flushed(noc_id_, trid, site);
    }
    void async_atomic_barrier(CallSite site = CallSite::here()) const {
        noc_async_atomic_barrier(noc_id_, site);
    }
    void async_full_barrier(CallSite site = CallSite::here()) const {
        noc_async_full_barrier(noc_id_, site);
    }

private:
    // The errors of an endpoint that may be on another core name the call.
    template <class Place, class Args>
    static std::uint32_t local_address(const Place& place, const Args& args, CallSite site) {
        if constexpr (requires { noc_traits_t<Place>::local_address(place, args, site); }) {
            return noc_traits_t<Place>::local_address(place, args, site);
        } else {
            return noc_traits_t<Place>::local_address(place, args);
        }
    }
    static constexpr TxnIdMode txn_id_mode_of(NocOptions options) {
        return has_option(options, NocOptions::TXN_ID) ? TxnIdMode::ENABLED : TxnIdMode::DISABLED;
    }
    static constexpr ResponseMode response_mode_of(NocOptions options) {
        return has_option(options, NocOptions::POSTED) ? ResponseMode::POSTED
                                                       : ResponseMode::NON_POSTED;
    }
    static constexpr BarrierMode barrier_mode_of(NocOptions options) {
        return has_option(options, NocOptions::TXN_ID) ? BarrierMode::TXN_ID : BarrierMode::FULL;
    }
    std::uint8_t noc_id_;
};

}  // namespace experimental
