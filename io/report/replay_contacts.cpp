#include <algorithm>
#include <cmath>

#include "io/report/replay_parts.h"

namespace carom {

namespace {

constexpr double kSteps = 65535;

struct FrameContacts {
  std::vector<std::uint32_t> body_a, body_b;
  std::vector<Eigen::Vector3f> point, force;  // relative to the origin, m; on a, N
};

FrameContacts strongest(const std::vector<ContactRecord>& contacts, double h, const Vec3& origin, std::size_t most) {
  FrameContacts kept;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < contacts.size(); ++i)
    if (contacts[i].impulse_world.allFinite() && contacts[i].impulse_world.squaredNorm() > 0 && h > 0)
      order.push_back(i);
  const auto strength = [&](std::uint32_t i) { return contacts[i].impulse_world.squaredNorm(); };
  if (order.size() > most) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                     [&](std::uint32_t i, std::uint32_t j) {
                       return strength(i) != strength(j) ? strength(i) > strength(j) : i < j;
                     });
    order.resize(most);
    std::sort(order.begin(), order.end());
  }
  for (const std::uint32_t i : order) {
    const ContactRecord& c = contacts[i];
    kept.body_a.push_back(static_cast<std::uint32_t>(c.body_a));
    kept.body_b.push_back(static_cast<std::uint32_t>(c.body_b));
    kept.point.push_back((c.point - origin).cast<float>());
    kept.force.push_back((c.impulse_world / h).cast<float>());
  }
  return kept;
}

// The value that all but one in `per` stay below.
double nearly_largest(std::vector<float> values, std::size_t per) {
  if (values.empty()) return 0;
  const auto place = values.end() - 1 - static_cast<std::ptrdiff_t>(values.size() / per);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

void pack_contacts(const RunReader& run, const std::vector<std::int64_t>& kept, const ReplayPoses& poses,
                   std::size_t most, Replay& replay) {
  const std::vector<double> lengths = run.frame_step_lengths();
  std::vector<double> counts, totals;
  FrameContacts all;
  std::vector<float> load(poses.frames * poses.bodies, 0.0F);  // sum of contact forces on each body, N
  for (std::size_t f = 0; f < kept.size(); ++f) {
    const std::vector<ContactRecord> contacts = run.contacts(kept[f]);
    const double h = lengths[static_cast<std::size_t>(kept[f])];
    for (const ContactRecord& c : contacts) {
      const auto strength = static_cast<float>(h > 0 ? c.impulse_world.norm() / h : 0);
      for (const int body : {c.body_a, c.body_b})
        if (std::isfinite(strength)) load[poses.row(f, static_cast<std::size_t>(body))] += strength;
    }
    const FrameContacts frame = strongest(contacts, h, poses.origin, most);
    counts.push_back(static_cast<double>(frame.point.size()));
    totals.push_back(static_cast<double>(contacts.size()));
    replay.most_contacts = std::max(replay.most_contacts, static_cast<std::int64_t>(contacts.size()));
    replay.most_contacts_kept = std::max(replay.most_contacts_kept, static_cast<std::int64_t>(frame.point.size()));
    const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
    append(all.body_a, frame.body_a);
    append(all.body_b, frame.body_b);
    append(all.point, frame.point);
    append(all.force, frame.force);
  }

  Eigen::Vector3f low = Eigen::Vector3f::Zero(), high = Eigen::Vector3f::Zero();
  std::vector<float> strengths;
  double largest = 0;
  for (std::size_t i = 0; i < all.point.size(); ++i) {
    low = i == 0 ? all.point[i] : low.cwiseMin(all.point[i]);
    high = i == 0 ? all.point[i] : high.cwiseMax(all.point[i]);
    strengths.push_back(all.force[i].norm());
    largest = std::max<double>(largest, all.force[i].cwiseAbs().maxCoeff());
  }
  const Vec3 size = (high - low).cast<double>().cwiseMax(1e-9);
  std::vector<std::uint16_t> column;
  for (int axis = 0; axis < 3; ++axis) {
    column.clear();
    for (const auto& p : all.point)
      column.push_back(static_cast<std::uint16_t>(std::lround((p[axis] - low[axis]) / size[axis] * kSteps)));
    add_block(replay, std::string("contact_") + "xyz"[axis], column);
    column.clear();
    for (const auto& f : all.force)
      column.push_back(static_cast<std::uint16_t>(std::lround((f[axis] / std::max(largest, 1e-300) + 1) * 0.5 * kSteps)));
    add_block(replay, std::string("force_") + "xyz"[axis], column);
  }
  add_block(replay, "contact_a", all.body_a);
  add_block(replay, "contact_b", all.body_b);

  std::vector<float> loads;
  for (const float x : load)
    if (x > 0) loads.push_back(x);
  const double heaviest = nearly_largest(loads, 500);
  std::vector<std::uint8_t> loaded;
  for (std::size_t f = 0; f < poses.frames; ++f)
    for (const std::uint32_t i : poses.moving)
      loaded.push_back(static_cast<std::uint8_t>(
          heaviest > 0 ? std::lround(255 * std::min(1.0, load[poses.row(f, i)] / heaviest)) : 0));
  difference_in_time(loaded, poses.moving.size(), false);
  add_block(replay, "load", loaded);

  JsonObject& json = replay.manifest;
  json.add_raw("contact_counts", json_list(counts, 15));
  json.add_raw("contact_totals", json_list(totals, 15));
  json.add_raw("contact_low", json_vector(low.cast<double>()));
  json.add_raw("contact_size", json_vector(size));
  json.add("force_scale", largest);
  json.add("force_typical", nearly_largest(strengths, 50));
  json.add("heaviest", heaviest);
}

}  // namespace carom
