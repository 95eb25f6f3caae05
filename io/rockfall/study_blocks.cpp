// [[block]], [[release]] and [[barrier]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/mesh_file.h"
#include "io/rockfall/study_parts.h"

namespace carom {

namespace {

using rockfall::BlockForm;
using rockfall::BlockKind;
using rockfall::Release;
using rockfall::ReleaseForm;
using rockfall::VolumeLaw;

rockfall::VolumeDistribution read_volume(const TomlValue& value) {
  rockfall::VolumeDistribution v;
  if (!value.is_table()) {
    v.median = v.least = v.most = value.real(positive());
    return v;
  }
  TomlTable t = value.table();
  v.law = t.need("distribution")
              .choice<VolumeLaw>({{"uniform", VolumeLaw::Uniform},
                                  {"lognormal", VolumeLaw::LogNormal},
                                  {"power_law", VolumeLaw::PowerLaw}});
  if (v.law == VolumeLaw::LogNormal) {
    v.median = t.need("median").real(positive());
    v.sigma = t.need("sigma").real(not_negative());
    v.least = t.real("min", not_negative(), 0);
    v.most = t.real("max", positive(), INFINITY);
    if (!(v.least <= v.median && v.median <= v.most)) t.fail("the median must lie between min and max");
  } else {
    v.least = t.need("min").real(positive());
    v.most = t.need("max").real(positive());
    if (v.law == VolumeLaw::PowerLaw) v.exponent = t.real("exponent", positive(), 1);
  }
  if (!(v.most >= v.least)) t.fail("max must not be less than min");
  t.finish();
  return v;
}

void read_form(TomlTable& t, BlockKind& kind, StudyDraft& draft) {
  const TomlValue shape = t.need("shape");
  kind.form = shape.choice<BlockForm>({{"sphere", BlockForm::Sphere},
                                       {"box", BlockForm::Box},
                                       {"ellipsoid", BlockForm::Ellipsoid},
                                       {"eota", BlockForm::Eota},
                                       {"hull", BlockForm::Hull},
                                       {"random", BlockForm::Random}});
  const bool axes = kind.form == BlockForm::Box || kind.form == BlockForm::Ellipsoid || kind.form == BlockForm::Random;
  if (axes) {
    if (const auto p = t.find("proportions")) kind.proportions = p->vector3(positive());
    if (kind.proportions.maxCoeff() > 1000 * kind.proportions.minCoeff())
      t.need("proportions").fail("may differ by a factor of 1000 at most");
  } else {
    t.forbid("proportions", "is for shapes box, ellipsoid and random");
  }
  if (kind.form == BlockForm::Ellipsoid || kind.form == BlockForm::Random)
    kind.vertices = static_cast<int>(t.integer("vertices", 6, 500, kind.form == BlockForm::Random ? 20 : 60));
  else
    t.forbid("vertices", "is for shapes ellipsoid and random");
  if (kind.form != BlockForm::Hull) {
    t.forbid("points", "is for shape hull");
    t.forbid("file", "is for shape hull");
    return;
  }
  t.forbid_both("points", "file");
  t.allow("points");
  if (t.has("file")) {
    const TomlValue file = t.need("file");
    MeshFileOptions options;
    options.unit = t.real("unit", positive(), 1);
    try {
      kind.points = read_hull(draft.folder / file.text(), options)->vertices;
    } catch (const InputError& error) {
      file.fail_plainly(error.what());
    }
    for (const Vec3& p : kind.points) draft.hash.add(std::span(p.data(), 3));
  } else {
    for (const TomlValue& p : t.need("points").items()) kind.points.push_back(p.vector3());
  }
}

Vec2 heights_of(TomlTable& t) {
  const auto height = t.find("height");
  if (!height) return Vec2::Zero();
  if (height->is_number()) return Vec2::Constant(height->real(not_negative()));
  const std::vector<double> range = height->reals(2, not_negative());
  if (range[1] < range[0]) height->fail("the range must not fall");
  return {range[0], range[1]};
}

void demand_ground(const Vec2& at, const TomlValue& value, const StudyDraft& draft) {
  if (!draft.result.study.ground.field->ground(at.x(), at.y()))
    value.fail("lies over no data: the terrain has no heights there");
}

std::vector<std::uint32_t> read_kinds(TomlTable& t, const StudyDraft& draft) {
  std::vector<std::uint32_t> kinds;
  const auto add = [&](const TomlValue& name) {
    const auto found = std::find(draft.block_names.begin(), draft.block_names.end(), name.text());
    if (found == draft.block_names.end())
      name.fail_plainly(fmt::format("there is no [[block]] with the name \"{}\"{}", name.text(),
                                    suggestion(name.text(), draft.block_names)));
    kinds.push_back(static_cast<std::uint32_t>(found - draft.block_names.begin()));
  };
  if (const auto block = t.find("block")) {
    if (block->is_list())
      for (const TomlValue& name : block->items()) add(name);
    else
      add(*block);
    if (kinds.empty()) block->fail("names no block");
  } else {
    for (std::uint32_t k = 0; k < draft.block_names.size(); ++k) kinds.push_back(k);
  }
  return kinds;
}

void read_place_of(TomlTable& t, Release& r, StudyDraft& draft) {
  const char* const forms[] = {"point", "points", "line", "polygon", "file"};
  int given = 0;
  for (const char* form : forms) {
    t.allow(form);
    given += t.has(form) ? 1 : 0;
  }
  if (given != 1) t.fail("needs one of point, points, line, polygon, file");
  if (t.has("point")) {
    r.points = {read_place(t.need("point"), draft)};
    demand_ground(r.points[0], t.need("point"), draft);
  } else if (t.has("points")) {
    for (const TomlValue& item : t.need("points").items()) {
      r.points.push_back(read_place(item, draft));
      demand_ground(r.points.back(), item, draft);
    }
    if (r.points.empty()) t.need("points").fail("is empty");
  } else if (t.has("line")) {
    r.form = ReleaseForm::Line;
    r.points = read_places(t.need("line"), draft, 2);
  } else if (t.has("polygon")) {
    r.form = ReleaseForm::Area;
    r.rings = {read_places(t.need("polygon"), draft, 3)};
  } else {
    const TomlValue file = t.need("file");
    const std::vector<MapFeature> features = read_features(file, draft);
    for (const MapFeature& f : features) {
      if (f.kind != features[0].kind)
        throw InputError({(draft.folder / file.text()).string(), f.line, 0, ""},
                         "points, lines and polygons are releases of their own: one kind per file");
      if (f.kind == GeometryKind::Polygon) {
        r.form = ReleaseForm::Area;
        r.rings.insert(r.rings.end(), f.parts.begin(), f.parts.end());
      } else if (f.kind == GeometryKind::Line) {
        r.form = ReleaseForm::Line;
        if (!r.points.empty() || f.parts.size() > 1)
          throw InputError({(draft.folder / file.text()).string(), f.line, 0, ""}, "a release follows one line");
        r.points = f.parts[0];
      } else {
        r.points.insert(r.points.end(), f.parts[0].begin(), f.parts[0].end());
      }
    }
    if (r.form == ReleaseForm::Points)
      for (const Vec2& p : r.points) demand_ground(p, file, draft);
  }
}

// Some point of a line or an area must lie over ground, or no block could start.
void demand_some_ground(const Release& r, const TomlTable& t, const StudyDraft& draft) {
  if (r.form == ReleaseForm::Points) return;
  const rockfall::Study& study = draft.result.study;
  const HeightField& field = *study.ground.field;
  if (r.form == ReleaseForm::Line) {
    for (std::size_t k = 0; k + 1 < r.points.size(); ++k)
      for (int s = 0; s <= 1000; ++s) {
        const Vec2 at = r.points[k] + s / 1000.0 * (r.points[k + 1] - r.points[k]);
        if (field.ground(at.x(), at.y())) return;
      }
    t.fail("lies over no data: the terrain has no heights along it");
  }
  Vec2 low = Vec2::Constant(INFINITY), high = -low;
  for (const auto& ring : r.rings)
    for (const Vec2& p : ring) low = low.cwiseMin(p), high = high.cwiseMax(p);
  RandomStream random(1, 1);
  for (int k = 0; k < 100000; ++k) {
    const Vec2 at(random.uniform(low.x(), high.x()), random.uniform(low.y(), high.y()));
    if (rockfall::inside(r.rings, at) && field.ground(at.x(), at.y())) return;
  }
  t.fail("encloses no area over the terrain, or lies over no data");
}

}  // namespace

void read_blocks(TomlTable& root, StudyDraft& draft) {
  for (TomlTable& t : root.tables("block")) {
    BlockKind kind;
    kind.name = t.text("name", fmt::format("block {}", draft.block_names.size() + 1));
    if (std::find(draft.block_names.begin(), draft.block_names.end(), kind.name) != draft.block_names.end())
      t.need("name").fail("this name of a block is in use already");
    read_form(t, kind, draft);
    kind.volume = read_volume(t.need("volume"));
    kind.density = t.real("density", RealRange{0, 1e5, true}, kind.density);
    kind.weight = t.real("weight", positive(), kind.weight);
    t.finish();
    // Whether the points have a hull shows at once.
    at_place(t.place(), [&] {
      RandomStream random(1, 1);
      return make_block(kind, 1, random);
    });
    draft.block_names.push_back(kind.name);
    draft.result.study.kinds.push_back(std::move(kind));
  }
  if (draft.block_names.empty()) root.need("block");
}

void read_releases(TomlTable& root, StudyDraft& draft) {
  rockfall::Study& study = draft.result.study;
  for (TomlTable& t : root.tables("release")) {
    Release r;
    r.name = t.text("name", fmt::format("release {}", study.releases.size() + 1));
    read_place_of(t, r, draft);
    r.count = static_cast<std::uint64_t>(t.need("count").integer(1, 100'000'000));
    const Vec2 heights = heights_of(t);
    r.least_height = heights[0];
    r.most_height = heights[1];
    r.velocity = t.vector3("velocity", Vec3::Zero());
    r.angular_velocity = t.vector3("angular_velocity", Vec3::Zero());
    if (const auto o = t.find("orientation"); o && o->is_text()) {
      o->choice<int>({{"random", 0}});
    } else {
      r.orientation = read_rotation(t);
    }
    t.allow("orientation");
    t.allow("euler");
    t.allow("rotation");
    r.kinds = read_kinds(t, draft);
    t.finish();
    demand_some_ground(r, t, draft);
    study.releases.push_back(std::move(r));
  }
  if (study.releases.empty()) root.need("release");
}

void read_barriers(TomlTable& root, StudyDraft& draft) {
  rockfall::Study& study = draft.result.study;
  for (TomlTable& t : root.tables("barrier")) {
    rockfall::Barrier b;
    b.name = t.text("name", fmt::format("barrier {}", study.barriers.size() + 1));
    t.forbid_both("line", "file");
    t.allow("line");
    if (t.has("file")) {
      const TomlValue file = t.need("file");
      for (const MapFeature& f : read_features(file, draft)) {
        if (f.kind != GeometryKind::Line)
          throw InputError({(draft.folder / file.text()).string(), f.line, 0, ""}, "a barrier is a line");
        for (const auto& part : f.parts) study.barriers.push_back({b.name, part});
      }
      t.finish();
      continue;
    }
    b.points = read_places(t.need("line"), draft, 2);
    t.finish();
    study.barriers.push_back(std::move(b));
  }
}

}  // namespace carom
