// A Team over MPI.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <numeric>

#include "io/rockfall/team_plugin.h"

namespace carom {

namespace {

class MpiTeam : public Team {
 public:
  MpiTeam() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTeam() override {
    int finished = 0;
    MPI_Finalized(&finished);
    if (finished == 0) MPI_Finalize();
  }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> gather(const std::string& mine) override {
    // One message each: MPI counts in int, so that long ones go in pieces.
    constexpr std::uint64_t kPiece = 1u << 30;
    std::vector<std::string> parts;
    if (rank_ > 0) {
      std::uint64_t bytes = mine.size();
      MPI_Send(&bytes, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
      for (std::uint64_t at = 0; at < bytes; at += kPiece)
        MPI_Send(mine.data() + at, static_cast<int>(std::min(kPiece, bytes - at)), MPI_CHAR, 0, 1, MPI_COMM_WORLD);
      return parts;
    }
    parts.resize(static_cast<std::size_t>(size_));
    parts[0] = mine;
    for (int source = 1; source < size_; ++source) {
      std::uint64_t bytes = 0;
      MPI_Recv(&bytes, 1, MPI_UINT64_T, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::string& part = parts[static_cast<std::size_t>(source)];
      part.resize(bytes);
      for (std::uint64_t at = 0; at < bytes; at += kPiece)
        MPI_Recv(part.data() + at, static_cast<int>(std::min(kPiece, bytes - at)), MPI_CHAR, source, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    return parts;
  }

  std::uint64_t agree(std::uint64_t value) override {
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace

}  // namespace carom

extern "C" const carom::TeamPlugin carom_team_plugin;
const carom::TeamPlugin carom_team_plugin = {
    []() -> std::unique_ptr<carom::Team> { return std::make_unique<carom::MpiTeam>(); }};
