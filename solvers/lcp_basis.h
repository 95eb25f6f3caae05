// Bases of an LCP: n columns of the system
//
//     w - M z - d z0 = q,     w, z, z0 >= 0
//
// held as a sparse LU factorization (KLU) and a product of elementary matrices, one per exchange since:
//
//     B = B_0 E_1 ... E_k,     E_j = I but for one column, a_j = (B_0 E_1 ... E_j-1)^-1 (column that came in)
//
//   cost of a solve      nonzeros of L, U and all a_j
//   cost of an exchange  nonzeros of a_j
#pragma once

#include <memory>

#include "solvers/problem.h"

namespace carom {

// The columns of [I, -M, -d]. Variables are numbered w_0 .. w_n-1, z_0 .. z_n-1, z0.
struct LcpColumns {
  Eigen::SparseMatrix<double> M;  // compressed
  VectorXd d;                     // covering vector

  int size() const { return static_cast<int>(M.rows()); }
  int w(int pair) const { return pair; }
  int z(int pair) const { return size() + pair; }
  int cover() const { return 2 * size(); }
  bool is_w(int variable) const { return variable < size(); }
  int pair_of(int variable) const { return is_w(variable) ? variable : variable - size(); }  // not of z0
  int complement(int variable) const { return is_w(variable) ? variable + size() : variable - size(); }

  // x += s times the column of a variable
  void add_column(int variable, double s, VectorXd& x) const;
};

class LcpBasis {
 public:
  explicit LcpBasis(const LcpColumns& columns);
  ~LcpBasis();

  // The variable in each place. Only before factor() may they be written.
  std::vector<int>& variables() { return variables_; }
  int variable(int place) const { return variables_[static_cast<std::size_t>(place)]; }
  int place_of(int variable) const { return places_[static_cast<std::size_t>(variable)]; }  // -1: not in the basis

  // Factors the basis afresh, after moving each pair's variable to the pair's own place. False: singular to rounding.
  bool factor();
  // Replaces what is in a place by a variable whose column is B a. a[place] must not vanish.
  void exchange(int place, int variable, const VectorXd& a);

  void solve(VectorXd& x) const;             // x <- B^-1 x
  void solve_transposed(VectorXd& x) const;  // x <- B^-T x
  // x = B^-1 b with one correction by the residual b - B x
  void solve_refined(const VectorXd& b, VectorXd& x);
  double error() const { return error_; }  // of the last refined solve: norm of the correction / norm(x)

  int exchanges() const { return exchanges_; }            // since the last factorization
  int factorizations() const { return factorizations_; }  // all
  // Solves have become so much dearer than just after factor() that another one would pay.
  bool worth_factoring() const;

 private:
  struct Factors;  // KLU's
  // One elementary matrix: entries [first, next one's first) of eta_, without the pivot.
  struct Eta {
    std::size_t first;
    int place;
    double pivot;
  };

  void assemble();
  void forget_etas();

  const LcpColumns& columns_;
  std::vector<int> variables_;  // per place
  std::vector<int> places_;     // per variable
  std::unique_ptr<Factors> factors_;
  std::vector<int> start_, row_;  // the basis by compressed columns
  std::vector<double> value_;
  std::vector<Eta> etas_;
  std::vector<int> eta_row_;
  std::vector<double> eta_value_;
  VectorXd remainder_;
  double error_ = 0;
  double solve_cost_ = 0;   // multiplications of a solve just after factor()
  double factor_cost_ = 0;  // of factor(), roughly
  double eta_cost_ = 0;     // spent on etas since
  int exchanges_ = 0, factorizations_ = 0;
};

}  // namespace carom
