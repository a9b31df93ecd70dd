// SPDX-License-Identifier: Apache-2.0
// The link over MPI. A build without MPI has open_link() alone, so that mpirun is refused there.
#ifdef TESSERA_MPI
#include <mpi.h>
#endif

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/ranks/rank_link.hpp"
#include "tessera/errors.hpp"

namespace tessera::ranks {
namespace {

/// Number of processes that the launcher started, by the variables of Open MPI's mpirun, of MPICH's
/// and of Slurm's srun. MPI itself is started only for several: its start takes 0.2 s.
std::uint32_t launched_ranks() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        if (const char* value = std::getenv(name)) {
            return static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
        }
    }
    return 1;
}

#ifdef TESSERA_MPI

class MpiLink : public RankLink {
public:
    MpiLink() {
        int provided = 0;
        // Workers of a rank take pieces one after another, so no two calls overlap.
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
        require(provided >= MPI_THREAD_SERIALIZED,
                "mpirun: this MPI allows calls of one thread alone; allowed: an MPI with "
                "MPI_THREAD_SERIALIZED");
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }
    ~MpiLink() override { MPI_Finalize(); }
    MpiLink(const MpiLink&) = delete;
    MpiLink& operator=(const MpiLink&) = delete;

    [[nodiscard]] std::uint32_t rank() const noexcept override {
        return static_cast<std::uint32_t>(rank_);
    }
    [[nodiscard]] std::uint32_t size() const noexcept override {
        return static_cast<std::uint32_t>(size_);
    }

    void send(std::uint32_t to, Word word, std::uint64_t piece, std::string_view text) override {
        std::string bytes(sizeof piece, '\0');
        std::memcpy(bytes.data(), &piece, sizeof piece);
        bytes += text;
        MPI_Send(bytes.data(), length_of(bytes.size()), MPI_CHAR, static_cast<int>(to),
                 static_cast<int>(word), MPI_COMM_WORLD);
    }

    [[nodiscard]] std::optional<Message> poll() override {
        int has_arrived = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_arrived, &status);
        if (has_arrived == 0) {
            return std::nullopt;
        }
        int length = 0;
        MPI_Get_count(&status, MPI_CHAR, &length);
        std::string bytes(static_cast<std::size_t>(length), '\0');
        MPI_Recv(bytes.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        Message message{.from = static_cast<std::uint32_t>(status.MPI_SOURCE),
                        .word = static_cast<Word>(status.MPI_TAG)};
        std::memcpy(&message.piece, bytes.data(), sizeof message.piece);
        message.text = bytes.substr(sizeof message.piece);
        return message;
    }

private:
    static int length_of(std::size_t size) {
        // A result is a few KiB; 2 GiB of them would be half a million points.
        require(size <= static_cast<std::size_t>(INT_MAX),
                "the results have {} bytes; allowed with several ranks: {}", size, INT_MAX);
        return static_cast<int>(size);
    }

    int rank_ = 0;
    int size_ = 1;
};

#endif

}  // namespace

std::unique_ptr<RankLink> open_link() {
    const std::uint32_t ranks = launched_ranks();
    if (ranks <= 1) {
        return nullptr;
    }
#ifdef TESSERA_MPI
    return std::make_unique<MpiLink>();
#else
    throw UsageError(
        "mpirun started several ranks, and this build of tessera has no MPI; allowed: one process, "
        "or a build with -DTESSERA_MPI=ON");
#endif
}

}  // namespace tessera::ranks
