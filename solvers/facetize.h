// Coulomb's cone cut into facets (Stewart & Trinkle 1996; Anitescu & Potra 1997): the cone problem becomes an LCP.
//
//     r_n = c,  r_t = D b,    D = (d_1, ..., d_f) of unit directions closed under negation, f even
//
//     [ W_nn   W_nD   0 ] [c]     [q_n]
//     [ W_Dn   W_DD   E ] [b]  +  [q_D]   >= 0   perp   (c, b, lambda) >= 0
//     [ mu    -E^T    0 ] [l]     [ 0 ]
//
// so that norm(r_t) <= mu r_n becomes r_t in mu r_n times a polygon with f corners, and a sliding contact dissipates
// the most that the polygon allows. In the plane f = 2 is exact. Blocks of other kinds:
//
//     Free, Orthant    rows as they are, free or complementary
//     Associated       r = sum of alpha_j (1, mu d_j), alpha >= 0: f rows, positive semidefinite
//     mu = 0           c alone
#pragma once

#include "solvers/options.h"

namespace carom {

enum class Polygon : std::uint8_t {
  Inner,  // corners on the circle: never more friction than Coulomb's
  Outer,  // sides touch the circle: never less
};
std::string_view name_of(Polygon polygon);  // "inner", "outer"
inline std::array<Polygon, 2> choices_of(Polygon) { return {Polygon::Inner, Polygon::Outer}; }

enum class Alignment : std::uint8_t {
  Fixed,  // d_1 along the first tangent
  Slip,   // d_1 against the slip, as predicted by the velocities given
};
std::string_view name_of(Alignment alignment);  // "fixed", "slip"
inline std::array<Alignment, 2> choices_of(Alignment) { return {Alignment::Fixed, Alignment::Slip}; }

struct FacetOptions {
  int facets = 8;  // f, even, >= 4; contacts of the plane have 2
  Polygon polygon = Polygon::Inner;
  Alignment alignment = Alignment::Fixed;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("facets", o.facets, OptionRange{4, 1024}, "", "directions of friction in 3D, an even number");
    visit("polygon", o.polygon, OptionRange{}, "", "inner: corners on Coulomb's circle; outer: sides touch it");
    visit("alignment", o.alignment, OptionRange{}, "", "first direction: fixed, or against the predicted slip");
  }
};

// An LCP in z = (blocks in order: c, b, lambda or what stands for them) with r = G z.
struct FacetedProblem {
  Lcp lcp;
  std::vector<bool> free;         // rows of the LCP where z may have any sign; empty: none
  Eigen::SparseMatrix<double> G;  // rows of the cone problem x unknowns of the LCP
  std::vector<int> first;         // per block: its first unknown; and the end
  std::vector<double> angle;      // per block: of d_1 from the first tangent
  int facets = 0;
};

// u_predicted: velocities that Alignment::Slip goes by, e.g. q; blocks that do not slip there take r's direction.
// Throws InputError when `facets` is odd.
FacetedProblem facetize(const ConeProblem& problem, const FacetOptions& options, VectorIn r, VectorIn u_predicted);
FacetedProblem facetize(const ConeProblem& problem, const FacetOptions& options);  // r = 0, u_predicted = q

// z that stands for r and u = W r + q, as a first guess.
VectorXd facet_guess(const ConeProblem& problem, const FacetedProblem& faceted, VectorIn r, VectorIn u);

}  // namespace carom
