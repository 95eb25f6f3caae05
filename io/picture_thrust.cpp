// The line of thrust in pictures of structures.
#include "io/picture_view.h"

namespace carom {

PictureThrust arrange_thrust(const std::vector<RunBody>& bodies, const std::vector<RunInterface>& interfaces,
                             const std::vector<InterfaceFrame>& frame) {
  PictureThrust thrust;
  std::vector<std::vector<Vec3>> through(bodies.size());
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (!(frame[i].normal_force > 0)) continue;
    const Vec3& point = frame[i].thrust_point;
    thrust.marks.push_back({point, frame[i].status == InterfaceStatus::Hinge});
    for (const int body : {interfaces[i].body_a, interfaces[i].body_b})
      through[static_cast<std::size_t>(body)].push_back(point);
  }
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (bodies[k].kind == BodyKind::Dynamic && through[k].size() == 2)
      thrust.lines.push_back({through[k][0], through[k][1]});
  return thrust;
}

}  // namespace carom
