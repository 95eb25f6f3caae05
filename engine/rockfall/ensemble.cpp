#include "engine/rockfall/ensemble.h"

#include "engine/impact/registry.h"

namespace carom::rockfall {

Ensemble::Ensemble(const Study& study, Threads threads)
    : study_(study), threads_(threads), distance_(*study.ground.field) {
  for (int k = 0; k < std::max(1, threads.count); ++k)
    simulators_.push_back(
        std::make_unique<Simulator>(study.ground, distance_, study.barriers, study.simulation, study.seed,
                                    study.law == "newton" ? nullptr : make_impact_law(study.law, study.law_options)));
}

void Ensemble::simulate(std::uint64_t first, std::uint64_t count, std::vector<TrajectoryRecord>& records) {
  records.resize(count);
  LowestFailure failure;
  const auto n = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for num_threads(threads_.count) schedule(dynamic, 1) if (threads_.count > 1)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    try {
      const Start start = start_of(study_, first + static_cast<std::uint64_t>(i));
      const auto worker = static_cast<std::size_t>(omp_get_thread_num());
      simulators_[worker]->run(start, records[static_cast<std::size_t>(i)]);
    } catch (...) {
      failure.record(i);
    }
  }
  failure.rethrow();
}

}  // namespace carom::rockfall
