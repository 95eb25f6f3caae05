#include "solvers/facetize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace carom {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// What stands for one block.
enum class Form : std::uint8_t { Rows, NormalAlone, Faceted, Generators };

Form form_of(const Cone& cone) {
  if (cone.kind == ConeKind::Free || cone.kind == ConeKind::Orthant) return Form::Rows;
  if (cone.mu == 0) return Form::NormalAlone;
  return cone.kind == ConeKind::Coulomb ? Form::Faceted : Form::Generators;
}

int directions(const Cone& cone, int facets) { return cone.dim == 2 ? 2 : facets; }

int unknowns(const Cone& cone, int facets) {
  switch (form_of(cone)) {
    case Form::Rows:
      return cone.dim;
    case Form::NormalAlone:
      return 1;
    case Form::Faceted:
      return directions(cone, facets) + 2;
    case Form::Generators:
      return directions(cone, facets);
  }
  return 0;
}

// d_j; the second half are the negatives of the first, to the last bit.
Vec2 direction(const Cone& cone, int facets, double angle, int j) {
  if (cone.dim == 2) return {j == 0 ? 1.0 : -1.0, 0.0};
  const bool negative = j >= facets / 2;
  const double turn = angle + 2 * std::numbers::pi * (negative ? j - facets / 2 : j) / facets;
  Vec2 d(std::cos(turn), std::sin(turn));
  for (double& x : d) {
    if (std::abs(x) < 1e-15) x = 0;
  }
  return negative ? Vec2(-d) : d;
}

// An outer polygon is the inner one of a larger circle.
double faceted_mu(const Cone& cone, const FacetOptions& o) {
  const bool wider = cone.dim == 3 && o.polygon == Polygon::Outer;
  return wider ? cone.mu / std::cos(std::numbers::pi / o.facets) : cone.mu;
}

double first_angle(const Cone& cone, const FacetOptions& o, const double* r, const double* u) {
  if (cone.dim != 3 || cone.kind == ConeKind::Orthant || cone.kind == ConeKind::Free) return 0;
  if (o.alignment == Alignment::Fixed) return 0;
  const double slip = std::hypot(u[1], u[2]), force = std::hypot(r[1], r[2]);
  if (slip > 0) return std::atan2(-u[2], -u[1]);
  return force > 0 ? std::atan2(r[2], r[1]) : 0.0;
}

// Columns of G for one block, and the rows that friction adds to M.
void add_block(const Cone& cone, const FacetOptions& o, double angle, int row, int column, Triplets& G, Triplets& X) {
  const int f = directions(cone, o.facets);
  const double mu = faceted_mu(cone, o);
  switch (form_of(cone)) {
    case Form::Rows:
      for (int k = 0; k < cone.dim; ++k) G.emplace_back(row + k, column + k, 1.0);
      return;
    case Form::NormalAlone:
      G.emplace_back(row, column, 1.0);
      return;
    case Form::Faceted: {
      const int lambda = column + 1 + f;
      G.emplace_back(row, column, 1.0);
      X.emplace_back(lambda, column, mu);
      for (int j = 0; j < f; ++j) {
        const Vec2 d = direction(cone, o.facets, angle, j);
        for (int k = 1; k < cone.dim; ++k) G.emplace_back(row + k, column + 1 + j, d[k - 1]);
        X.emplace_back(column + 1 + j, lambda, 1.0);
        X.emplace_back(lambda, column + 1 + j, -1.0);
      }
      return;
    }
    case Form::Generators:
      for (int j = 0; j < f; ++j) {
        const Vec2 d = direction(cone, o.facets, angle, j);
        G.emplace_back(row, column + j, 1.0);
        for (int k = 1; k < cone.dim; ++k) G.emplace_back(row + k, column + j, mu * d[k - 1]);
      }
      return;
  }
}

}  // namespace

std::string_view name_of(Polygon polygon) { return polygon == Polygon::Inner ? "inner" : "outer"; }
std::string_view name_of(Alignment alignment) { return alignment == Alignment::Fixed ? "fixed" : "slip"; }

FacetedProblem facetize(const ConeProblem& problem, const FacetOptions& options, VectorIn r, VectorIn u_predicted) {
  if (options.facets < 4 || options.facets % 2 != 0)
    throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = "facets"},
                     "directions of friction are closed under negation: their number is even and at least 4",
                     fmt::format("{}", options.facets));
  const Cones& cones = problem.cones;
  FacetedProblem faceted;
  faceted.facets = options.facets;
  faceted.first.assign(1, 0);
  Triplets G, X;
  bool any_free = false;
  for (int i = 0; i < cones.count(); ++i) {
    const int row = cones.offset(i), column = faceted.first.back();
    faceted.angle.push_back(first_angle(cones[i], options, r.data() + row, u_predicted.data() + row));
    add_block(cones[i], options, faceted.angle.back(), row, column, G, X);
    faceted.first.push_back(column + unknowns(cones[i], options.facets));
    faceted.free.insert(faceted.free.end(), at(faceted.first.back() - column), cones[i].kind == ConeKind::Free);
    any_free |= cones[i].kind == ConeKind::Free;
  }
  if (!any_free) faceted.free.clear();

  // M = G^T W G + X, q = G^T q
  const int n = faceted.first.back();
  faceted.G.resize(cones.rows(), n);
  faceted.G.setFromTriplets(G.begin(), G.end());
  Eigen::SparseMatrix<double> extra(n, n);
  extra.setFromTriplets(X.begin(), X.end());
  BlockSparse storage;
  const Eigen::SparseMatrix<double> W = to_sparse(assembled_body(problem, storage), cones);
  const Eigen::SparseMatrix<double> G_transposed = faceted.G.transpose();
  const Eigen::SparseMatrix<double> WG = W * faceted.G;
  faceted.lcp.M = G_transposed * WG;
  faceted.lcp.M += extra;
  faceted.lcp.M.makeCompressed();
  faceted.lcp.q = G_transposed * problem.q;
  return faceted;
}

FacetedProblem facetize(const ConeProblem& problem, const FacetOptions& options) {
  return facetize(problem, options, VectorXd::Zero(problem.q.size()), problem.q);
}

VectorXd facet_guess(const ConeProblem& problem, const FacetedProblem& faceted, VectorIn r, VectorIn u) {
  const Cones& cones = problem.cones;
  VectorXd z = VectorXd::Zero(faceted.lcp.q.size());
  for (int i = 0; i < cones.count(); ++i) {
    const Cone& cone = cones[i];
    const int row = cones.offset(i), column = faceted.first[at(i)], f = directions(cone, faceted.facets);
    const Form form = form_of(cone);
    if (form == Form::Rows) z.segment(column, cone.dim) = r.segment(row, cone.dim);
    if (form == Form::NormalAlone || form == Form::Faceted) z[column] = r[row];
    if (form == Form::Rows || form == Form::NormalAlone) continue;

    // r_t between its two neighbours d_j and d_j+1
    const double scale = form == Form::Generators ? 1 / cone.mu : 1;
    double* b = z.data() + column + (form == Form::Faceted ? 1 : 0);
    if (cone.dim == 2) {
      b[r[row + 1] >= 0 ? 0 : 1] = scale * std::abs(r[row + 1]);
    } else {
      const double side = 2 * std::numbers::pi / f, force = scale * std::hypot(r[row + 1], r[row + 2]);
      double turn = std::remainder(std::atan2(r[row + 2], r[row + 1]) - faceted.angle[at(i)], 2 * std::numbers::pi);
      if (turn < 0) turn += 2 * std::numbers::pi;
      const int j = static_cast<int>(turn / side) % f;
      const double beyond = std::clamp(turn - j * side, 0.0, side);
      // A force along d_j to rounding is one along d_j.
      b[j] = force * std::sin(side - beyond) / std::sin(side);
      b[(j + 1) % f] = beyond > 1e-9 ? force * std::sin(beyond) / std::sin(side) : 0.0;
    }
    if (form != Form::Faceted) continue;
    // lambda = largest -d_j . u_t where the contact slides
    double slip = 0;
    for (int j = 0; j < f; ++j) {
      const Vec2 d = direction(cone, faceted.facets, faceted.angle[at(i)], j);
      slip = std::max(slip, -(d[0] * u[row + 1] + (cone.dim == 3 ? d[1] * u[row + 2] : 0.0)));
    }
    z[column + 1 + f] = r[row] > 0 ? slip : 0.0;
  }
  return z;
}

}  // namespace carom
