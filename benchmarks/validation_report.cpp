#include <fmt/format.h>
#include "validation_cases.h"
using namespace carom; using namespace carom::validation;
void p(const Measurement&m){fmt::print("{:<70} exact {:<14.8g} ours {:<14.8g} err {:.2e} h {}\n",m.law,m.exact,m.ours,m.error(),m.h);}
void p(const std::vector<Measurement>&v){for(auto&m:v)p(m);}
void p(const Convergence&c){fmt::print("{} order {:.3f}:",c.law,c.order());for(double e:c.error)fmt::print(" {:.2e}",e);fmt::print("\n");}
void p(const Stack&s){fmt::print("stack {} base {:.2e} first {} (worst {}) settled {} worst {} fall {:.2e} failed {}\n",s.height,s.base_error,s.first_iterations,s.worst_iterations,s.settled_iterations,s.worst_settled_iterations,s.fall,s.failed_solves);}
void p(const RestCost&s){fmt::print("{} mean {} worst {} drift {:.2e} failed {}\n",s.body,s.mean_iterations,s.worst_iterations,s.drift,s.failed_solves);}
void p(const EnergyHistory&s){fmt::print("{} start {:.4f} end {:.6f} highest-start {:.2e} rise {:.2e} sum {:.2e} bal {:.2e} bound {:.2e} failed {}\n",s.law,s.start,s.end,s.highest-s.start,s.largest_rise,s.sum_of_rises,s.worst_balance_error,s.step_bound,s.failed_solves);}
int main(int argc,char**argv){ Stopwatch w; auto lap=[&](const char*n){fmt::print("-- {} {:.2f}s\n",n,w.seconds());fflush(stdout);}; (void)argc;(void)argv;
 for(double e:{0.5,0.8,0.0}) {p(bouncing_ball(e,1e-3));p(bouncing_ball(e,1e-4));}
for(double e:{0.5,0.8}){auto c=bouncing_ball_convergence(e);p(c.position);p(c.rest_time);}lap("ball");
 for(double v:{0.5,1.5,2.0,5.0}) p(oblique_impact({.tangential=v},1e-3)); for(double v:{0.5,1.5,2.0,5.0}) p(oblique_impact({.tangential=v,.tangential_restitution=1},1e-3));
 for(double e:{0.0,0.5,0.9,1.0})for(double et:{0.0,1.0}){auto r=rod_creates_energy(e,et);fmt::print("rod e {} et {}: exact {:.6e} meas {:.6e} work {:.6e} bal {:.1e} before {}\n",e,et,r.exact,r.measured,r.contact_work,r.balance_error,r.before);} lap("impact");
 for(double a:{10.,15.,16.6,17.,30.}) p(incline_acceleration(a,0.3,1e-3)); p(stopping_distance(2,0.3,1e-3));p(stopping_distance(2,0.3,1e-4)); p(incline_landing_convergence());lap("incline");
 {auto c=block_below_friction_angle(0.9,0.3,10000,1e-3);fmt::print("creep settle {:.2e} drift {:.2e} it {} failed {}\n",c.settling,c.drift,c.worst_iterations,c.failed_solves);} lap("creep");
 for(double d:{0.,15.,30.,45.,60.,90.}) p(push_threshold(d,0.3)); lap("push");
 for(auto&r:{solid_sphere(),cylinder(),hoop()}){p(slip_to_roll(r,2,0.3,1e-3));p(rolling_down(r,20,0.5,1e-3));p(rolling_down(r,60,0.3,1e-3));}
 for(bool r:{false,true}){auto c=leaving_a_sphere_convergence(r);p(c.flight);p(c.last_contact);} p(turntable(3,1e-3));p(turntable(3,1e-2));lap("roll");
 p(free_rotation_invariants(1e-3));p(free_rotation_invariants(1e-2));p(symmetric_precession(1e-3));p(symmetric_precession_convergence());p(middle_axis_flip(1e-3));p(middle_axis_flip(1e-2));lap("rot");
 for(int n:{5,10,20,40})for(double q:{1.,100.}){p(sphere_stack(n,q));} lap("stack");
 p(sphere_at_rest(1000));p(box_at_rest(1000));p(tripod_at_rest(1000));p(sphere_in_corner_at_rest(1000));lap("rest");
 p(spheres_in_a_box("frictionless e 1",{0,1,0},100000,1e-3));p(spheres_in_a_box("frictionless e .9",{0,.9,0},100000,1e-3));p(spheres_in_a_box("friction e 0",{.5,0,0},100000,1e-3));
 p(spheres_in_a_box("friction e .8 et 1",{.5,.8,1},100000,1e-3));p(spheres_in_a_box("friction e 1 et 1",{.5,1,1},100000,1e-3));p(spheres_in_a_box("friction e 1 et 0",{.5,1,0},100000,1e-3));for(double h:{1e-3,5e-4,2.5e-4}){p(bouncing_block("block e 1",{0,1,0},20000,h));p(bouncing_block("block fr e 0",{.5,0,0},20000,h));p(bouncing_block("block fr e 1 et 1",{.5,1,1},20000,h));} lap("energy");
 fmt::print("scaled {:.2e} {:.2e} froude {:.2e} turned {:.2e}\n",scaled_scene_error(.1,1),scaled_scene_error(1,1000),froude_scene_error(.1),turned_scene_error(Quat(Eigen::AngleAxisd(1.1,Vec3(1,-2,.5).normalized()))));
 for(auto l:{PairLaw{.5,.5,0},PairLaw{.5,1,1},PairLaw{0,1,0}}){auto c=colliding_free_spheres(l,1000,1e-3);fmt::print("mom {:.1e} ang {:.1e} coll {} E {}\n",c.linear,c.angular,c.collisions,c.energy_ratio);} lap("sym");
}
