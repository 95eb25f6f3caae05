#include "solvers/row_sum.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define CAROM_AVX2_ROWS
#include <immintrin.h>
#endif

namespace carom {

namespace {

// Nine running products, one per entry of a block and independent of each other, are added up only at the end.
// Two at a time, as they lie in memory.
struct Products {
  Vec2 entries_01 = Vec2::Zero();  // row 0
  Vec2 entries_23 = Vec2::Zero();  // row 0, row 1
  Vec2 entries_45 = Vec2::Zero();  // row 1
  Vec2 entries_67 = Vec2::Zero();  // row 2
  double entry_8 = 0;              // row 2

  void add(const double* W, const double* r) {
    entries_01 += Eigen::Map<const Vec2>(W).cwiseProduct(Vec2(r[0], r[1]));
    entries_23 += Eigen::Map<const Vec2>(W + 2).cwiseProduct(Vec2(r[2], r[0]));
    entries_45 += Eigen::Map<const Vec2>(W + 4).cwiseProduct(Vec2(r[1], r[2]));
    entries_67 += Eigen::Map<const Vec2>(W + 6).cwiseProduct(Vec2(r[0], r[1]));
    entry_8 += W[8] * r[2];
  }
};

void add_row_plain(const double* values, const int* column, std::ptrdiff_t begin, std::ptrdiff_t skip,
                   std::ptrdiff_t end, const double* r, double* u) {
  Products sum;
  for (std::ptrdiff_t e = skip + 1; e < end; ++e) sum.add(values + 9 * e, r + 3 * std::ptrdiff_t{column[e]});
  for (std::ptrdiff_t e = begin; e < skip; ++e) sum.add(values + 9 * e, r + 3 * std::ptrdiff_t{column[e]});
  u[0] += sum.entries_01[0] + sum.entries_01[1] + sum.entries_23[0];
  u[1] += sum.entries_23[1] + sum.entries_45[0] + sum.entries_45[1];
  u[2] += sum.entries_67[0] + sum.entries_67[1] + sum.entry_8;
}

#ifdef CAROM_AVX2_ROWS
// Four at a time: a row and one entry of its neighbour, which meets a zero. Rows 0 and 1 carry it last, row 2 first, so
// that nothing outside the block is read.
__attribute__((target("avx2"))) void add_row_avx2(const double* values, const int* column, std::ptrdiff_t begin,
                                                  std::ptrdiff_t skip, std::ptrdiff_t end, const double* r, double* u) {
  const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
  __m256d row_0 = _mm256_setzero_pd(), row_1 = row_0, row_2 = row_0;
  const auto add = [&](std::ptrdiff_t e) __attribute__((target("avx2"), always_inline)) {
    const double* W = values + 9 * e;
    const __m256d r_first = _mm256_maskload_pd(r + 3 * std::ptrdiff_t{column[e]}, three);  // r0 r1 r2 0
    const __m256d r_last = _mm256_permute4x64_pd(r_first, _MM_SHUFFLE(2, 1, 0, 3));        // 0 r0 r1 r2
    row_0 = _mm256_add_pd(row_0, _mm256_mul_pd(_mm256_loadu_pd(W), r_first));
    row_1 = _mm256_add_pd(row_1, _mm256_mul_pd(_mm256_loadu_pd(W + 3), r_first));
    row_2 = _mm256_add_pd(row_2, _mm256_mul_pd(_mm256_loadu_pd(W + 5), r_last));
  };
  for (std::ptrdiff_t e = skip + 1; e < end; ++e) add(e);
  for (std::ptrdiff_t e = begin; e < skip; ++e) add(e);
  row_2 = _mm256_permute4x64_pd(row_2, _MM_SHUFFLE(0, 3, 2, 1));
  // Entries 0, then 1, then 2 of rows 0 and 1; row 2 alone
  const __m128d low_0 = _mm256_castpd256_pd128(row_0), low_1 = _mm256_castpd256_pd128(row_1);
  const __m128d low_2 = _mm256_castpd256_pd128(row_2);
  const __m128d last = _mm_unpacklo_pd(_mm256_extractf128_pd(row_0, 1), _mm256_extractf128_pd(row_1, 1));
  const __m128d sum = _mm_add_pd(_mm_add_pd(_mm_unpacklo_pd(low_0, low_1), _mm_unpackhi_pd(low_0, low_1)), last);
  const __m128d sum_2 = _mm_add_sd(_mm_add_sd(low_2, _mm_unpackhi_pd(low_2, low_2)), _mm256_extractf128_pd(row_2, 1));
  _mm_storeu_pd(u, _mm_add_pd(_mm_loadu_pd(u), sum));
  u[2] += _mm_cvtsd_f64(sum_2);
}
#endif

}  // namespace

AddRow3x3 add_row_3x3() {
#ifdef CAROM_AVX2_ROWS
  if (__builtin_cpu_supports("avx2")) return add_row_avx2;
#endif
  return add_row_plain;
}

bool only_3x3(const BlockSparse& W, const Cones& cones) {
  for (int i = 0; i < cones.count(); ++i) {
    if (cones.dim(i) != 3) return false;
  }
  std::size_t difference = 0;  // without a way out of the loop it takes a quarter of the time
  for (std::size_t e = 0; e < W.start.size(); ++e) difference |= static_cast<std::size_t>(W.start[e]) ^ (9 * e);
  return difference == 0;
}

}  // namespace carom
