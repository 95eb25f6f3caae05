// Colliders: shapes fixed to bodies. What contact detection works on.
#pragma once

#include "contact/shape.h"

namespace carom {

// Structure of arrays, one entry per collider; the index is the collider's number in contact keys.
struct Colliders {
  std::vector<Shape> shape;
  std::vector<int> body;             // owner; colliders of one body never touch each other
  std::vector<Pose> local;           // pose in the owner's frame
  std::vector<std::uint8_t> mobile;  // 0: fixed or prescribed motion; two immobile ones never touch
  std::vector<std::uint8_t> alive;   // 0: its body was removed

  int size() const { return static_cast<int>(shape.size()); }
  int add(const Shape& s, int owner, const Pose& at, bool moves) {
    shape.push_back(s);
    body.push_back(owner);
    local.push_back(at);
    mobile.push_back(moves ? 1 : 0);
    alive.push_back(1);
    return size() - 1;
  }
  bool may_touch(int a, int b) const {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return body[i] != body[j] && (mobile[i] | mobile[j]) != 0 && alive[i] != 0 && alive[j] != 0;
  }
};

}  // namespace carom
