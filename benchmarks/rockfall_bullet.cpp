#include "benchmarks/rockfall_bullet.h"

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <ctime>

namespace carom {

namespace {

btVector3 bt(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

}  // namespace

PeerRun run_bullet(const SlopeCase& slope, double h, double duration) {
  const auto [low, high] = std::minmax_element(slope.heights.begin(), slope.heights.end());
  std::vector<float> heights(slope.heights.begin(), slope.heights.end());
  btHeightfieldTerrainShape terrain(static_cast<int>(slope.columns), static_cast<int>(slope.rows), heights.data(), 1,
                                    static_cast<btScalar>(*low), static_cast<btScalar>(*high), 2, PHY_FLOAT, false);
  const auto cell = static_cast<btScalar>(slope.cell);
  terrain.setLocalScaling(btVector3(cell, cell, 1));
  btConvexHullShape hull;
  for (const Vec3& v : slope.vertices) hull.addPoint(bt(v), false);
  hull.recalcLocalAabb();

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad_phase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broad_phase, &solver, &configuration);
  world.setGravity(btVector3(0, 0, btScalar(-9.81)));
  // Bullet centres a height field on its bounds.
  const Vec3 centre(0.5 * (slope.columns - 1) * slope.cell, 0.5 * (slope.rows - 1) * slope.cell, 0.5 * (*low + *high));
  btRigidBody::btRigidBodyConstructionInfo ground_info(0, nullptr, &terrain);
  ground_info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), bt(centre));
  btRigidBody ground(ground_info);
  btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(slope.mass), nullptr, &hull, bt(slope.inertia));
  const Quat& q = slope.rotation;
  info.m_startWorldTransform = btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                                        static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                                           bt(slope.position));
  btRigidBody block(info);
  // Bullet multiplies the coefficients of the two.
  for (btRigidBody* body : {&ground, &block}) {
    body->setFriction(static_cast<btScalar>(std::sqrt(slope.friction)));
    body->setRestitution(static_cast<btScalar>(std::sqrt(slope.restitution)));
    body->setActivationState(DISABLE_DEACTIVATION);
  }
  world.addRigidBody(&ground);
  world.addRigidBody(&block);
  block.setLinearVelocity(bt(slope.velocity));

  PeerRun run;
  const std::clock_t start = std::clock();
  const int steps = static_cast<int>(duration / h + 0.5);
  for (int k = 0; k < steps; ++k) {
    world.stepSimulation(static_cast<btScalar>(h), 0);
    const btVector3& x = block.getWorldTransform().getOrigin();
    const double i = x.x() / slope.cell, j = x.y() / slope.cell;
    if (!(i >= 0 && j >= 0 && i < slope.columns - 1 && j < slope.rows - 1)) break;
    const double ground_height =
        slope.heights[static_cast<std::size_t>(j + 0.5) * slope.columns + static_cast<std::size_t>(i + 0.5)];
    run.deepest = std::max(run.deepest, ground_height - x.z());
  }
  run.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const btVector3& x = block.getWorldTransform().getOrigin();
  run.end = {x.x(), x.y(), x.z()};
  world.removeRigidBody(&block);
  world.removeRigidBody(&ground);
  return run;
}

}  // namespace carom
