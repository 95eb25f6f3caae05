// The pile in ODE (quick step), one thread.
#include <ode/ode.h>

#include "benchmarks/pile_peers.h"

namespace carom {

namespace {

class OdePile : public PileEngine {
 public:
  explicit OdePile(const PeerPile& pile) : friction_(pile.friction), h_(pile.h) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    joints_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, -pile.gravity);
    dWorldSetAutoDisableFlag(world_, 0);
    dCreatePlane(space_, 0, 0, 1, 0);
    for (const Vec3& inward : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
      dCreatePlane(space_, inward.x(), inward.y(), 0, -pile.half);
    for (std::size_t i = 0; i < pile.radii.size(); ++i) {
      dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetSphere(&mass, pile.density, pile.radii[i]);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, pile.positions[i].x(), pile.positions[i].y(), pile.positions[i].z());
      dGeomSetBody(dCreateSphere(space_, pile.radii[i]), body);
      bodies_.push_back(body);
    }
  }
  ~OdePile() override {
    dJointGroupDestroy(joints_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  void step() override {
    count_ = 0;
    dSpaceCollide(space_, this, &near);
    dWorldQuickStep(world_, h_);
    dJointGroupEmpty(joints_);
  }
  void set_sweeps(int sweeps) override { dWorldSetQuickStepNumIterations(world_, sweeps); }
  double sweeps() const override { return dWorldGetQuickStepNumIterations(world_); }
  double contacts() const override { return count_; }
  void read(std::vector<Vec3>& positions, std::vector<Vec3>& velocities) const override {
    positions.clear();
    velocities.clear();
    for (dBodyID body : bodies_) {
      const dReal *x = dBodyGetPosition(body), *v = dBodyGetLinearVel(body);
      positions.emplace_back(x[0], x[1], x[2]);
      velocities.emplace_back(v[0], v[1], v[2]);
    }
  }

 private:
  static void near(void* self, dGeomID a, dGeomID b) {
    auto& pile = *static_cast<OdePile*>(self);
    if (dGeomGetBody(a) == nullptr && dGeomGetBody(b) == nullptr) return;
    dContact contact = {};
    if (dCollide(a, b, 1, &contact.geom, sizeof(dContact)) == 0) return;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = pile.friction_;
    dJointAttach(dJointCreateContact(pile.world_, pile.joints_, &contact), dGeomGetBody(a), dGeomGetBody(b));
    ++pile.count_;
  }

  double friction_, h_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID joints_ = nullptr;
  std::vector<dBodyID> bodies_;
  int count_ = 0;
};

}  // namespace

std::unique_ptr<PileEngine> ode_pile(const PeerPile& pile) { return std::make_unique<OdePile>(pile); }

}  // namespace carom
