// Liu, Zhao and Brogliato's law of multiple impacts (Proc. R. Soc. A 464, 2008 and 465, 2009): every contact is a
// spring that gives back e^2 of the work it absorbs, the impulse spreads over contacts as their stored energies tell,
// and outcomes depend on ratios of stiffness, on the exponent eta of F = K x^eta, on e and on inertia:
//
//     M dv/dt = H^T F,     F_n = K x^eta,     F_t by Coulomb's law (lzb_friction.h)
//     dx/dt = -u_n              while u_n < 0   (compression)
//     dx/dt = -u_n / e^2        while u_n > 0   (expansion), until x = 0
//
// This form in the effective indentation x is the bi-stiffness model exactly: with E = K x^(eta+1)/(eta+1) it gives the
// paper's distribution of impulses, dP_i/dP_j = (K_i/K_j)^(1/(eta+1)) (E_i/E_j)^(eta/(eta+1)), and has no singular
// start. The mono-stiffness model expands along the same spring, dx/dt = -u_n, and lets go under load once e^2 of the
// work absorbed has been given back; what the spring then holds is lost.
//
// Plastic contacts. As e -> 0 expansion becomes instantaneous: at the end of compression x falls, at u_n = 0 and
// without any impulse, to 0 or, where other contacts press this one together, to the depth at which
// W_nn K x^(eta+1)/(eta+1) - f x has the same value again (f: the acceleration they cause); then it is compressed anew.
// The bodies so neither stick together nor bounce. The limit is computed as such: restitution below a tenth of the
// tolerance, which changes velocities by less than the tolerance, is replaced by that, and the integrator's steps
// follow the fast release wherever it happens, several contacts at once included.
//
// Preloaded contacts (F_0 > 0) start at x_0 = (F_0/K)^(1/eta). The loads that pressed them before go on during the
// impact, so only F - F_0 accelerates: M dv/dt = H^T (F - F_0). A resting system so stays at rest, and stored energy of
// the preload cannot turn into kinetic energy. p counts F - F_0, because u_plus = u_minus + W p must hold; it may be
// negative at a contact that is unloaded for a while. The impact ends when contacts without preload are open and those
// with preload are not compressed beyond it and do not approach; vibrations about a preload slower than `rest` are left
// to the finite forces.
//
//   cost of a substep   13 evaluations over contacts that move and their neighbours
//   memory              linear in contacts
#pragma once

#include "engine/impact/impact_law.h"
#include "engine/impact/lzb_integrator.h"
#include "solvers/options.h"

namespace carom {

std::string_view name_of(LzbModel model);  // "bi_stiffness", "mono_stiffness"
inline std::array<LzbModel, 2> choices_of(LzbModel) { return {LzbModel::BiStiffness, LzbModel::MonoStiffness}; }

struct LzbOptions {
  LzbModel model = LzbModel::BiStiffness;
  double tolerance = 1e-8;  // of velocities, relative to the fastest approach, in [1e-12, 1e-2]
  int max_substeps = 0;     // >= 0; 0: a million, or a hundred per contact if that is more
  int chatter = 1000;       // >= 0: compressions after which a contact is softened, 0: never
  double rest = 1e-3;       // of the fastest approach, in [0, 1]: slower vibrations about a preload do not count
  int samples = 40;         // per natural time of the contact struck fastest, when somebody observes; >= 1

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("model", o.model, OptionRange{}, "", "how contacts give back less than they absorb");
    visit("tolerance", o.tolerance, OptionRange{1e-12, 1e-2}, "of the fastest approach", "accuracy of velocities");
    visit("max_substeps", o.max_substeps, OptionRange{0, 2e9}, "",
          "the impact is given up beyond so many; 0: a million, or a hundred per contact if that is more");
    visit("chatter", o.chatter, OptionRange{0, 2e9}, "phases of compression, 0: never",
          "a contact that soft ones press and that vibrates so often is softened");
    visit("rest", o.rest, OptionRange{0, 1}, "of the fastest approach",
          "vibrations about a preload slower than this do not keep the impact going");
    visit("samples", o.samples, OptionRange{1, 1e6}, "per natural time",
          "at least so many are given to whoever observes the evolution");
  }
};

class Lzb : public ImpactLaw {
 public:
  using Options = LzbOptions;
  static constexpr std::string_view kName = "lzb";
  static constexpr std::string_view kRestitution = "energetic: e^2 of the work that a contact absorbs is given back";
  static constexpr double kMostRestitution = 1;
  static constexpr bool kFriction = true;

  explicit Lzb(const LzbOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  LzbOptions& options() { return options_; }

  // Restitution must be in [0, 1] and W symmetric.
  ImpactReport apply(const ImpactProblem& problem, VectorXd& p) override;

  // What happened at contact i in the last application.
  const LzbRecord& record(int i) const { return state_.contacts[i].record; }

  // Contacts that its substeps held, summed over substeps: what the work is proportional to.
  long work() const { return state_.work; }

 private:
  void sample();

  LzbOptions options_;
  LzbState state_;
  LzbIntegrator integrator_;
  VectorXd u_, p_, force_, energy_;  // of a sample, SI
};

}  // namespace carom
