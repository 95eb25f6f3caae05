// The numeric types every room speaks. Dense algebra is Eigen's; all reals are double.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace carom {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Arguments: a vector somebody else owns. Accepts VectorXd, Vector, maps and segments without a copy.
using VectorIn = const Eigen::Ref<const VectorXd>&;
using VectorOut = Eigen::Ref<VectorXd>;

// Where a body or a shape is: x_world = position + rotation * x_local.
struct Pose {
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();

  Vec3 to_world(const Vec3& local) const { return position + rotation * local; }
  Vec3 to_local(const Vec3& world) const { return rotation.conjugate() * (world - position); }
};

// pose of a frame fixed at `local` in a body that is at `body`
inline Pose operator*(const Pose& body, const Pose& local) {
  return {body.to_world(local.position), body.rotation * local.rotation};
}

// A vector of doubles that reads like an Eigen vector and keeps its capacity when it shrinks or grows
// again. VectorXd frees and allocates at every change of size; the number of contacts changes at
// almost every step, and the steady state allocates nothing.
class Vector : public Eigen::Map<VectorXd> {
  using Base = Eigen::Map<VectorXd>;

 public:
  Vector() : Base(nullptr, 0) {}
  explicit Vector(Eigen::Index size) : Base(nullptr, 0) { resize(size); }
  Vector(const Vector& other) : Base(nullptr, 0) { *this = other; }
  Vector(Vector&& other) noexcept : Base(nullptr, 0), storage_(std::move(other.storage_)) {
    rebind();
    other.rebind();
  }
  Vector& operator=(const Vector& other) {
    storage_ = other.storage_;
    rebind();
    return *this;
  }
  Vector& operator=(Vector&& other) noexcept {
    storage_ = std::move(other.storage_);
    other.storage_.clear();
    rebind();
    other.rebind();
    return *this;
  }
  // Assignment from an expression resizes, as VectorXd does. The expression may read this vector: where it
  // outgrows the capacity, the old values live until the new ones are taken.
  template <class Derived>
  Vector& operator=(const Eigen::DenseBase<Derived>& expression) {
    if (static_cast<std::size_t>(expression.size()) > storage_.capacity()) {
      std::vector<double> grown(static_cast<std::size_t>(expression.size()));
      Base(grown.data(), expression.size()) = expression.derived();
      storage_.swap(grown);
      rebind();
      return *this;
    }
    resize(expression.size());
    Base::operator=(expression.derived());
    return *this;
  }

  void resize(Eigen::Index size) {
    storage_.resize(static_cast<std::size_t>(size));
    rebind();
  }
  void assign(Eigen::Index size, double value) {
    storage_.assign(static_cast<std::size_t>(size), value);
    rebind();
  }
  void reserve(Eigen::Index size) {
    storage_.reserve(static_cast<std::size_t>(size));
    rebind();
  }

 private:
  // Eigen's documented way to point a Map elsewhere.
  void rebind() { new (static_cast<Base*>(this)) Base(storage_.data(), static_cast<Eigen::Index>(storage_.size())); }

  std::vector<double> storage_;
};

}  // namespace carom
