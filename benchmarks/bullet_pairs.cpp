#include "bullet_pairs.h"

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>

#include "contact/polyhedron.h"

using carom::Pose;
using carom::Shape;
using carom::ShapeKind;
using carom::Vec3;

namespace {

btVector3 vector(const Vec3& v) { return {btScalar(v.x()), btScalar(v.y()), btScalar(v.z())}; }

btTransform transform(const Pose& pose) {
  const auto& q = pose.rotation;
  return btTransform(btQuaternion(btScalar(q.x()), btScalar(q.y()), btScalar(q.z()), btScalar(q.w())),
                     vector(pose.position));
}

std::unique_ptr<btCollisionShape> shape_of(const Shape& shape, bool polyhedral) {
  if (shape.kind == ShapeKind::Box) return std::make_unique<btBoxShape>(vector(shape.half_extents));
  auto hull = std::make_unique<btConvexHullShape>();
  for (const Vec3& v : shape.polyhedron().vertices) hull->addPoint(vector(v), false);
  hull->recalcLocalAabb();
  hull->setMargin(0);
  if (polyhedral) hull->initializePolyhedralFeatures();
  return hull;
}

}  // namespace

struct BulletPairs::Impl {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDispatcherInfo info;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
  btPersistentManifold* manifold = nullptr;
  btCollisionAlgorithm* algorithm = nullptr;  // all pairs are of the same kinds
};

BulletPairs::BulletPairs(const std::vector<Item>& items, bool polyhedral) : impl_(std::make_unique<Impl>()) {
  const auto add = [&](const Shape& shape, const Pose& pose) {
    impl_->shapes.push_back(shape_of(shape, polyhedral));
    impl_->objects.push_back(std::make_unique<btCollisionObject>());
    impl_->objects.back()->setCollisionShape(impl_->shapes.back().get());
    impl_->objects.back()->setWorldTransform(transform(pose));
  };
  for (const Item& item : items) {
    add(*item.shape_a, *item.pose_a);
    add(*item.shape_b, *item.pose_b);
  }
}

BulletPairs::~BulletPairs() {
  if (impl_->algorithm == nullptr) return;
  impl_->algorithm->~btCollisionAlgorithm();
  impl_->dispatcher.freeCollisionAlgorithm(impl_->algorithm);
}

int BulletPairs::collide_all() {
  int points = 0;
  for (std::size_t k = 0; k + 1 < impl_->objects.size(); k += 2) {
    btCollisionObject &a = *impl_->objects[k], &b = *impl_->objects[k + 1];
    const btCollisionObjectWrapper wrap_a(nullptr, a.getCollisionShape(), &a, a.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper wrap_b(nullptr, b.getCollisionShape(), &b, b.getWorldTransform(), -1, -1);
    if (impl_->manifold == nullptr) impl_->manifold = impl_->dispatcher.getNewManifold(&a, &b);
    if (impl_->algorithm == nullptr)
      impl_->algorithm =
          impl_->dispatcher.findAlgorithm(&wrap_a, &wrap_b, impl_->manifold, BT_CONTACT_POINT_ALGORITHMS);
    impl_->manifold->clearManifold();
    impl_->manifold->setBodies(&a, &b);
    btManifoldResult result(&wrap_a, &wrap_b);
    result.setPersistentManifold(impl_->manifold);
    impl_->algorithm->processCollision(&wrap_a, &wrap_b, impl_->info, &result);
    points += result.getPersistentManifold()->getNumContacts();  // boxes keep one of their own
  }
  return points;
}
