// The visits of a Gauss-Seidel sweep where every contact is one of spheres, with spheres or with what cannot be moved:
// large granular problems. The mathematics of Nsgs::visit where it becomes simplest. A sphere's arms lie along the
// normal n and its inertia is j 1, so that with arms l_a, l_b
//
//     u = v_a - v_b - (l_a w_a + l_b w_b) x n,       W_ii = w_n n n^T + w_t (1 - n n^T)
//     r_n = max(0, r_n - u_n / w_n),                 r_t = P(r_t - u_t / w_t)  on the disc of radius mu r_n
//
// which is the exact solution of Coulomb's contact, without a branch. All of it happens in world axes: a contact is its
// normal, its arms and its free velocity in 96 bytes, and its impulse in 32; a body is its velocities, 1/m and 1/I in
// 64. They lie in the order of visits, whatever order the problem has.
#pragma once

#include "solvers/problem.h"

namespace carom {

class SphereSweep {
 public:
  // x0 x1 x2 and one number more.
  struct alignas(32) Four {
    double x[4] = {0, 0, 0, 0};
  };
  struct alignas(32) Contact {
    double normal[4];     // n, mu
    double velocity[4];   // q in world axes, 1 / w_n
    double arm_a, arm_b;  // m
    double inverse_wt;    // 1 / w_t
    int a, b;             // bodies, -1 where one cannot be moved
  };
  struct alignas(64) Body {
    double linear[4];   // v, 1/m
    double angular[4];  // w, 1/I
  };
  // What places [begin, end) did.
  struct Changes {
    double largest = 0;  // |dr_i| trace(W_ii) / 3, squared; infinity if one is not a number
    double against = 0;  // (y - x) . (x - x_before), solvers/momentum.h
  };

  static bool may_take(const ConeProblem& problem);  // by its bodies
  void make_room(const ConeProblem& problem);
  // False where some contact is not one of spheres; `order`: the block at each place of the order of visits, empty for
  // the natural one. Both must outlive the visits.
  bool prepare(const ConeProblem& problem, std::span<const int> order, Threads threads);

  // r and v = M^-1 H^T r, in and out.
  void read(VectorIn r);
  void read(const std::vector<Twist>& v);
  void write(VectorOut r) const;

  // Threads may visit different contacts that do not act on each other.
  Changes visit(int begin, int end);
  // y = x + factor (x - x_before)
  void extrapolate(double factor);
  void forget() { remembers_ = false; }  // x_before is x
  bool leave_vectors_out = false;        // runs the code for any machine on this one: the same bits, for tests

 private:
  bool prepare_contact(int place);
  int block(int place) const { return order_.empty() ? place : order_[static_cast<std::size_t>(place)]; }

  const ConeProblem* problem_ = nullptr;
  std::span<const int> order_;
  Threads threads_;
  bool remembers_ = false;
  std::vector<Contact> contacts_;               // these three in the order of visits
  std::vector<Four> impulses_, last_impulses_;  // r in world axes and trace(W_ii) / 3; x_before
  std::vector<Body> bodies_, last_bodies_;
};

}  // namespace carom
