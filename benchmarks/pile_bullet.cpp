// The pile in Bullet (float, sequential impulses), one thread.
#include <btBulletDynamicsCommon.h>

#include "benchmarks/pile_peers.h"

namespace carom {

namespace {

class BulletPile : public PileEngine {
 public:
  explicit BulletPile(const PeerPile& pile)
      : h_(static_cast<btScalar>(pile.h)),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    world_.setGravity(btVector3(0, 0, static_cast<btScalar>(-pile.gravity)));
    const auto half = static_cast<btScalar>(pile.half);
    add_plane(btVector3(0, 0, 1), 0, pile);
    for (const btVector3& inward : {btVector3(1, 0, 0), btVector3(-1, 0, 0), btVector3(0, 1, 0), btVector3(0, -1, 0)})
      add_plane(inward, -half, pile);
    for (std::size_t i = 0; i < pile.radii.size(); ++i) add_sphere(pile.radii[i], pile.positions[i], pile);
  }
  ~BulletPile() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step() override { world_.stepSimulation(h_, 0); }
  void set_sweeps(int sweeps) override { world_.getSolverInfo().m_numIterations = sweeps; }
  double sweeps() const override {
    return const_cast<btDiscreteDynamicsWorld&>(world_).getSolverInfo().m_numIterations;
  }
  double contacts() const override {
    auto& dispatcher = const_cast<btCollisionDispatcher&>(dispatcher_);
    double count = 0;
    for (int k = 0; k < dispatcher.getNumManifolds(); ++k)
      count += dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
    return count;
  }
  void read(std::vector<Vec3>& positions, std::vector<Vec3>& velocities) const override {
    positions.clear();
    velocities.clear();
    for (const auto& body : bodies_) {
      if (body->getInvMass() == 0) continue;
      const btVector3 x = body->getWorldTransform().getOrigin(), v = body->getLinearVelocity();
      positions.emplace_back(x.x(), x.y(), x.z());
      velocities.emplace_back(v.x(), v.y(), v.z());
    }
  }

 private:
  void add_plane(const btVector3& inward, btScalar offset, const PeerPile& pile) {
    shapes_.push_back(std::make_unique<btStaticPlaneShape>(inward, offset));
    add(0, btVector3(0, 0, 0), btVector3(0, 0, 0), pile);
  }
  void add_sphere(double radius, const Vec3& at, const PeerPile& pile) {
    shapes_.push_back(std::make_unique<btSphereShape>(static_cast<btScalar>(radius)));
    const auto mass = static_cast<btScalar>(pile.density * 4.0 / 3.0 * M_PI * radius * radius * radius);
    btVector3 inertia;
    shapes_.back()->calculateLocalInertia(mass, inertia);
    add(mass, inertia,
        btVector3(static_cast<btScalar>(at.x()), static_cast<btScalar>(at.y()), static_cast<btScalar>(at.z())), pile);
  }
  void add(btScalar mass, const btVector3& inertia, const btVector3& at, const PeerPile& pile) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), at);
    // Bullet multiplies the friction of the two.
    info.m_friction = static_cast<btScalar>(std::sqrt(pile.friction));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  btScalar h_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

std::unique_ptr<PileEngine> bullet_pile(const PeerPile& pile) { return std::make_unique<BulletPile>(pile); }

}  // namespace carom
