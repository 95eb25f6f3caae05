// The path of Lemke's method from one complementary basis C towards another:
//
//     B x = q,    B = C with the column -C d of z0 in the place of the most negative x,    z0 driven to 0
//
// on an LCP whose rows and columns are of unit size. With C = I it is the method of the textbooks; any other C makes
// it Lemke's method on the principal pivotal transform, which is how a guess or an interrupted path is taken up.
#pragma once

#include "base/timer.h"
#include "solvers/lcp_basis.h"
#include "solvers/lemke.h"

namespace carom {

enum class PathEnd : std::uint8_t {
  Complementary,  // z0 left: B x = q solves the LCP, to rounding
  Ray,            // nothing leaves: z0 and the entering variable may grow for ever
  MaxPivots,
  MaxTime,
  Trouble,  // the basis became singular to rounding, or needed to be factored again at every turn
};

class LemkePath {
 public:
  // free: rows whose z may have any sign; their basic variables never leave.
  LemkePath(LcpColumns& columns, const VectorXd& q, const std::vector<bool>& free, const LcpOptions& options,
            const Stopwatch& watch);

  // One variable per pair, and d > 0 in that basis. False when the basis is singular.
  bool start(const std::vector<int>& complementary, const VectorXd& d);
  PathEnd follow();

  // z of the basis reached; z0 may be positive.
  void read_z(VectorXd& z) const;
  // The basis reached, with z0 replaced by the w of the pair that is missing.
  std::vector<int> complementary_basis() const;
  // Along the ray, per unit of the entering variable.
  void read_ray(VectorXd& z, VectorXd& w, double& z0) const;

  int pivots() const { return pivots_; }
  int factorizations() const { return basis_.factorizations(); }

 private:
  bool may_leave(int place) const { return free_.empty() || !free_[static_cast<std::size_t>(place)]; }
  int first_to_leave(const VectorXd& d);
  int choose_leaving();
  int lexicographic_smallest();
  int smallest_row();
  void pivot(int place, int variable);
  bool refresh();
  bool drifted();

  LcpColumns& columns_;
  const VectorXd& q_;
  const std::vector<bool>& free_;
  const LcpOptions& options_;
  const Stopwatch& watch_;
  LcpBasis basis_;
  VectorXd p_;  // generic: the second column of the lexicographic rule
  VectorXd x_;  // B^-1 q
  VectorXd y_;  // B^-1 p
  VectorXd a_;  // B^-1 (entering column)
  VectorXd row_, smallest_row_, remainder_;
  std::vector<int> ties_;
  int entering_ = 0;
  int interval_ = 100;  // pivots between factorizations
  double size_ = 1;     // largest |x| at the last factorization
  int pivots_ = 0;
  int rescues_ = 0;  // factorizations before their time, since start
};

}  // namespace carom
