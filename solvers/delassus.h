// The Delassus operator W = H M^-1 H^T (+ diag(compliance)), in either or both of two bodies:
//
//   factors    H by rows on at most two rigid bodies per block, M^-1 by bodies. Matrix-free: memory and
//              the cost of a product are linear in the number of blocks. What large problems use.
//   assembled  W itself in block-sparse rows. What small problems, generalized coordinates, pivoting and
//              Newton methods and files use. May be unsymmetric: the file's W defines the problem.
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <optional>

#include "base/parallel.h"
#include "solvers/cone.h"

namespace carom {

// One row of H on two rigid bodies a and b:  u_row = linear . (v_a - v_b) + angular_a . w_a + angular_b . w_b
// (velocities of centres of mass, angular velocities in the world frame).
struct FactorRow {
  Vec3 linear;
  Vec3 angular_a;
  Vec3 angular_b;
};

// M^-1 of one rigid body.
struct InverseMass {
  double linear = 0;            // 1/kg
  Mat3 angular = Mat3::Zero();  // world frame, 1/(kg m^2)
};

// The velocity of one rigid body, v = M^-1 H^T r.
struct Twist {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};

struct DelassusFactors {
  std::vector<std::array<int, 2>> bodies;  // per block: a and b, or -1 for a body that cannot be moved
  std::vector<FactorRow> rows;             // per row of the problem
  std::vector<InverseMass> inverse_mass;   // per body
  // Per row, or empty: W = H M^-1 H^T + diag(compliance), >= 0. A row that yields by compliance times its own impulse:
  // springs, dampers, and rows of H that are zero and carry a prescribed impulse.
  std::vector<double> compliance;
};

// Who acts on each body: 2 * block + side, increasing, for side 0 where the body is a and side 1 where it is b.
struct BodyActions {
  std::vector<int> first;  // per body, and the end
  std::vector<int> actions;
};

// Block-sparse rows. Block (i, j) is dense, row-major, dim(i) x dim(j), at values[start[k]] for the k with
// first[i] <= k < first[i+1] and column[k] = j; columns increase within a row, the diagonal is always there.
struct BlockSparse {
  std::vector<int> first = {0};       // per block row, and the end
  std::vector<int> column;            // per stored block
  std::vector<std::ptrdiff_t> start;  // per stored block
  std::vector<int> diagonal;          // per block row: the k of its diagonal block
  std::vector<double> values;

  void clear();  // no rows; memory is kept
};

class DelassusOperator {
 public:
  std::optional<DelassusFactors> factors;
  std::optional<BlockSparse> assembled;

  bool empty() const { return !factors && !assembled; }
};

// ---- Products. Both bodies give the same W; factors are preferred when present. ----

// u = W r + q
void apply(const DelassusOperator& W, const Cones& cones, VectorIn r, VectorIn q, VectorOut u);

// The same without allocation: with factors, scratch receives v = M^-1 H^T r.
void apply(const DelassusOperator& W, const Cones& cones, VectorIn r, VectorIn q, VectorOut u,
           std::vector<Twist>& scratch);

// u = W r + q by the assembled body.
void apply(const BlockSparse& W, const Cones& cones, VectorIn r, VectorIn q, VectorOut u);

// v = M^-1 H^T r over all bodies, then u_i += H_i v: the two halves of the matrix-free product but for compliance.
void accumulate_twists(const DelassusFactors& factors, const Cones& cones, VectorIn r, std::vector<Twist>& v);
void add_block_velocity(const DelassusFactors& factors, int block, int offset, int dim, const std::vector<Twist>& v,
                        double* u);

// The same v, bit for bit, by several threads: each body gathers what acts on it.
void list_actions(const DelassusFactors& factors, BodyActions& actions);
void accumulate_twists(const DelassusFactors& factors, const Cones& cones, const BodyActions& actions, Threads threads,
                       VectorIn r, std::vector<Twist>& v);

// The inner loop of sweeps and products with an assembled W of 3x3 blocks, row-major at values + 9 e:
//
//     u += sum over e in (skip, end) and then in [begin, skip) of W_e r_column(e)
//
// Gauss-Seidel skips the diagonal and meets the blocks it changed last at the end of the sum, which so need not wait
// for them at its beginning; skip = end leaves nothing out.
using AddRow3x3 = void (*)(const double* values, const int* column, std::ptrdiff_t begin, std::ptrdiff_t skip,
                           std::ptrdiff_t end, const double* r, double* u);

// u = (W r + q)_i with v = M^-1 H^T r where W has factors, and add_row where W is assembled from 3x3 blocks only.
void block_velocity(const DelassusOperator& W, const Cones& cones, AddRow3x3 add_row, int i, const double* r,
                    const double* q, const std::vector<Twist>& v, double* u);

// Diagonal block i, row-major dim x dim, and its own diagonal alone, which is cheaper.
void diagonal_block(const DelassusOperator& W, const Cones& cones, int i, double* block);
void diagonal_entries(const DelassusOperator& W, const Cones& cones, int i, double* entries);

// W_ij = W_ji^T to within the tolerance times the largest entry of W, stored blocks likewise.
bool is_symmetric(const BlockSparse& W, const Cones& cones, double tolerance);

// ---- Conversions, explicit. ----

// Every pair of blocks that share a movable body gets its block of W.
BlockSparse assemble(const DelassusFactors& factors, const Cones& cones);
// The same into W, which keeps its memory.
void assemble(const DelassusFactors& factors, const Cones& cones, BodyActions& scratch, BlockSparse& W);

// From and to a plain sparse matrix with cones.rows() rows.
BlockSparse to_block_sparse(const Eigen::SparseMatrix<double>& W, const Cones& cones);
Eigen::SparseMatrix<double> to_sparse(const BlockSparse& W, const Cones& cones);
MatrixXd to_dense(const DelassusOperator& W, const Cones& cones);

}  // namespace carom
