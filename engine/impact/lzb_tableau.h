// The additive Runge-Kutta pair ARK4(3)6L[2]SA of Kennedy and Carpenter (Applied Numerical Mathematics 44, 2003): six
// stages of order 4 with an error estimate of order 3, one explicit and one implicit, L-stable and stiffly accurate
// table over the same nodes and weights,
//
//     x_s = x + h sum_{j<s} E[s][j] x'_j,     p_s = p + h sum_{j<=s} I[s][j] p'_j,     I[s][s] = 1/4 but for s = 0
//
// The last row of I is the weights: the last implicit stage is the step's end.
#pragma once

namespace carom::additive_pair {

inline constexpr int kStages = 6;
inline constexpr int kOrder = 4;
inline constexpr double kGamma = 0.25;

inline constexpr double E[kStages][kStages] = {
    {},
    {1.0 / 2},
    {13861.0 / 62500, 6889.0 / 62500},
    {-116923316275.0 / 2393684061468, -2731218467317.0 / 15368042101831, 9408046702089.0 / 11113171139209},
    {-451086348788.0 / 2902428689909, -2682348792572.0 / 7519795681897, 12662868775082.0 / 11960479115383,
     3355817975965.0 / 11060851509271},
    {647845179188.0 / 3216320057751, 73281519250.0 / 8382639484533, 552539513391.0 / 3454668386233,
     3354512671639.0 / 8306763924573, 4040.0 / 17871}};

inline constexpr double I[kStages][kStages] = {
    {},
    {1.0 / 4, kGamma},
    {8611.0 / 62500, -1743.0 / 31250, kGamma},
    {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108, kGamma},
    {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768, 2285395.0 / 8070912, kGamma},
    {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, kGamma}};

inline constexpr const double* B = I[kStages - 1];

// Weights of order 3.
inline constexpr double kThird[kStages] = {4586570599.0 / 29645900160, 0,
                                           178811875.0 / 945068544,    814220225.0 / 1159782912,
                                           -3700637.0 / 11593932,      61727.0 / 225920};

}  // namespace carom::additive_pair
