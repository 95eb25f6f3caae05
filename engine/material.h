// Materials and the contact law of each pair of them.
#pragma once

#include <string>
#include <vector>

namespace carom {

struct MaterialId {
  int index = 0;
  bool operator==(const MaterialId&) const = default;
};

// What happens when two surfaces meet.
struct PairLaw {
  double friction = 0;                // Coulomb's mu, >= 0
  double restitution = 0;             // e_n, in [0, 1]: Newton's, Poisson's or the energetic one, by the impact law
  double tangential_restitution = 0;  // e_t, in [-1, 1]: 0 is Moreau's law, 1 is Fremond's
  double stiffness = 1;               // K of F = K x^exponent, > 0: for lzb, where ratios alone decide the outcome
  double exponent = 1.5;              // eta >= 1: 1 is linear, 3/2 is Hertz's
  double cohesion = 0;                // Pa, >= 0: shear strength at no pressure of interfaces that are bonded
  double tensile_strength = 0;        // Pa, >= 0: of interfaces that are bonded (engine/bonds.h)
  // mu_r >= 0: the moment against rolling is at most mu_r R r_n, R the contact's rolling radius (engine/rolling.h)
  double rolling_friction = 0;

  bool bonds() const { return cohesion > 0 || tensile_strength > 0; }
};

struct Material {
  std::string name;
  double friction = 0.5;
  double restitution = 0;
  double tangential_restitution = 0;
  double stiffness = 1;
  double exponent = 1.5;
  double cohesion = 0;
  double tensile_strength = 0;
  double rolling_friction = 0;
};

// Law of a pair that was not set explicitly: geometric means of mu, e_n and mu_r (one slippery, dead or
// smoothly rolling surface is enough), arithmetic means of e_t and eta. Stiffnesses act in series, K^(-1/eta) =
// K_a^(-1/eta) + K_b^(-1/eta), up to the factor that makes equal materials keep their own. A bond is as strong as the
// weaker one.
PairLaw combine(const Material& a, const Material& b);

class MaterialTable {
 public:
  MaterialTable();  // holds one material, "default"

  MaterialId add(const Material& material);  // throws InputError on out-of-range values or a name in use
  void set_pair(MaterialId a, MaterialId b, const PairLaw& law);
  const PairLaw& law(MaterialId a, MaterialId b) const {
    return laws_[static_cast<std::size_t>(a.index) * materials_.size() + static_cast<std::size_t>(b.index)];
  }
  const Material& operator[](MaterialId id) const { return materials_[static_cast<std::size_t>(id.index)]; }
  int size() const { return static_cast<int>(materials_.size()); }

 private:
  std::vector<Material> materials_;
  std::vector<PairLaw> laws_;  // size x size, symmetric
};

void check_law(const PairLaw& law, const std::string& whose);  // throws InputError naming the value

}  // namespace carom
