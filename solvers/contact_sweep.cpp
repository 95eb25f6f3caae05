#include "solvers/contact_sweep.h"

#include <algorithm>
#include <cmath>

#include "solvers/row_sum.h"

namespace carom {

namespace {

using Contact = ContactSweep::Contact;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Places in Contact::numbers; q_i is at 0.
constexpr int kInverse = 3, kMu = 12, kVelocityPerImpulse = 13;

// Up to a condition of about its reciprocal, a stored inverse is as good as elimination.
constexpr double kWellConditioned = 1e-3;

// Inverses that never stick: their first entry is positive, so that where u_n < 0 the normal impulse is negative. It
// tells how far a contact has come; true inverses, -W_ii^-1, have a negative one.
constexpr double kNotSolvedYet = 1, kSolvedOnce = 2, kWithoutInverse = 3;
void set_no_inverse(double mark, double* inverse) {
  std::fill(inverse, inverse + 9, 0.0);
  inverse[0] = mark;
}

bool well_conditioned(const Elimination& e) {
  const double coupling = e.nt[0] * e.nt[0] + e.nt[1] * e.nt[1] + e.lever[0] * e.lever[0] + e.lever[1] * e.lever[1];
  return std::min({1.0, e.s[0], e.s[1]}) >= kWellConditioned * (std::max({1.0, e.s[0], e.s[1]}) + coupling);
}

// What the visits of a sweep share.
struct Visits {
  ContactSweep* sweep;
  Contact* contacts;
  const BlockSparse* block_rows;   // or
  const DelassusFactors* factors;  // then with
  const FactorRow* factor_rows;
  const double* diagonal;  // W_ii by places
  Twist* v;
  double relaxation;
  Settling settling;
  double* r;
};

namespace any_machine {
#include "solvers/contact_visits.inc"
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CAROM_AVX2_VISITS
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
#include "solvers/contact_visits.inc"
}
#pragma GCC pop_options
#endif

}  // namespace

bool ContactSweep::takes(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  for (int i = 0; i < cones.count(); ++i) {
    if (cones[i].kind != ConeKind::Coulomb || cones.dim(i) != 3) return false;
  }
  if (problem.W.factors) return problem.W.factors->compliance.empty();
  return problem.W.assembled && only_3x3(*problem.W.assembled, cones);
}

void ContactSweep::make_room(int contacts, bool factors) {
  contacts_.resize(at(contacts));
  slides_.resize(at(contacts));
  if (factors) diagonal_.resize(9 * at(contacts));
}

void ContactSweep::prepare(const ConeProblem& problem, const BlockSparse& rows) {
  make_room(problem.cones.count(), false);
  factors_ = nullptr;
  block_rows_ = &rows;
  for (int place = 0; place < problem.cones.count(); ++place) {
    contacts_[at(place)].diagonal = rows.diagonal[at(place)];
    prepare(problem, place, rows.column[at(rows.diagonal[at(place)])], diagonal_block(place));
  }
}

void ContactSweep::prepare(const ConeProblem& problem, std::span<const int> order, const std::vector<FactorRow>& rows) {
  make_room(problem.cones.count(), true);
  factors_ = &*problem.W.factors;
  factor_rows_ = rows.data();
  for (int place = 0; place < problem.cones.count(); ++place) {
    const int block = order.empty() ? place : order[at(place)];
    carom::diagonal_block(problem.W, problem.cones, block, diagonal_.data() + 9 * at(place));
    prepare(problem, place, block, diagonal_block(place));
  }
}

void ContactSweep::prepare(const ConeProblem& problem, int place, int block, const double* W_ii) {
  Contact& contact = contacts_[at(place)];
  contact.block = block;
  contact.settled = {};
  std::copy_n(problem.q.data() + problem.cones.offset(block), 3, contact.numbers);
  set_no_inverse(kNotSolvedYet, contact.numbers + kInverse);
  contact.numbers[kMu] = problem.cones[block].mu;
  contact.numbers[kVelocityPerImpulse] = (W_ii[0] + W_ii[4] + W_ii[8]) / 3;
  slides_[at(place)].alpha = 0;
}

const double* ContactSweep::diagonal_block(int place) const {
  if (factors_ != nullptr) return diagonal_.data() + 9 * at(place);
  return block_rows_->values.data() + 9 * at(contacts_[at(place)].diagonal);
}

void ContactSweep::wake_all() {
  for (Contact& contact : contacts_) contact.settled = {};
}

void ContactSweep::solve_any(int place, const double* u, double* r) {
  Contact& contact = contacts_[at(place)];
  auto& [elimination, alpha] = slides_[at(place)];
  double* inverse = contact.numbers + kInverse;
  if (inverse[0] == kNotSolvedYet) {
    elimination = eliminate_normal(3, diagonal_block(place));
    inverse[0] = kSolvedOnce;
  } else if (inverse[0] == kSolvedOnce) {
    // there will be more visits: worth an inverse
    set_no_inverse(kWithoutInverse, inverse);
    for (int k = 0; k < 3 && well_conditioned(elimination); ++k)
      stick_3d(elimination, Vec3::Unit(k).eval().data(), inverse + 3 * k);
  }
  solve_coulomb_3d(elimination, contact.numbers[kMu], u, alpha, r);
}

double ContactSweep::visit(int begin, int end, double relaxation, const Settling& settling, double* r, Twist* v) {
  const Visits visits{.sweep = this,
                      .contacts = contacts_.data(),
                      .block_rows = block_rows_,
                      .factors = factors_,
                      .factor_rows = factor_rows_,
                      .diagonal = diagonal_.data(),
                      .v = v,
                      .relaxation = relaxation,
                      .settling = settling,
                      .r = r};
#ifdef CAROM_AVX2_VISITS
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2 && !leave_vectors_out) return avx2::visit(visits, begin, end);
#endif
  return any_machine::visit(visits, begin, end);
}

}  // namespace carom
