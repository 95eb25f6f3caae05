// Pictures as SVG. One gradient per colour is shared by all spheres of that colour.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "io/export.h"
#include "io/picture_view.h"
#include "io/plot/colour_scale.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr int kLevels = 24;  // of speed
constexpr Rgb kFixedColour = {176, 181, 186}, kKinematicColour = {164, 150, 134};
constexpr std::array<Rgb, 8> kPalette = {{{91, 141, 184},
                                          {222, 163, 91},
                                          {125, 176, 134},
                                          {198, 108, 122},
                                          {150, 133, 184},
                                          {108, 176, 181},
                                          {199, 178, 124},
                                          {138, 152, 166}}};

Rgb lighter(const Rgb& c, double t) { return mixed(c, {255, 255, 255}, t); }
Rgb darker(const Rgb& c, double t) { return mixed(c, {24, 30, 48}, t); }

Rgb speed_colour(double fraction) { return scale_colour(ColourScale::Speed, fraction); }

// ---- Which colour each item has ----

struct Colouring {
  std::vector<Rgb> colours;  // by number
  std::vector<int> of_item;  // number of each item's colour
  bool by_speed = false;
  double fastest = 0;  // m/s, of moving bodies
};

PictureColour choose(const PictureView& view, double fastest, const std::vector<RunBody>& bodies) {
  const double size = (view.high - view.low).norm();
  if (fastest * fastest > 2e-3 * 9.81 * size) return PictureColour::Speed;
  const std::string* group = nullptr;  // of the moving bodies
  for (const PictureItem& item : view.items) {
    const RunBody& body = bodies[static_cast<std::size_t>(item.body)];
    if (body.kind != BodyKind::Dynamic) continue;
    if (group != nullptr && *group != body.group) return PictureColour::Group;
    group = &body.group;
  }
  return PictureColour::Material;
}

Colouring colour_items(const PictureView& view, const std::vector<RunBody>& bodies,
                       const std::vector<RunCollider>& colliders, const RunFrame& frame, PictureColour wanted) {
  Colouring result;
  const auto speed_of = [&](const PictureItem& item) {
    const double speed = frame.velocity[static_cast<std::size_t>(item.body)].norm();
    return std::isfinite(speed) ? speed : 0.0;
  };
  const auto kind_of = [&](const PictureItem& item) { return bodies[static_cast<std::size_t>(item.body)].kind; };
  for (const PictureItem& item : view.items)
    if (kind_of(item) == BodyKind::Dynamic) result.fastest = std::max(result.fastest, speed_of(item));
  if (wanted == PictureColour::Automatic) wanted = choose(view, result.fastest, bodies);
  result.by_speed = wanted == PictureColour::Speed && result.fastest > 0;

  result.colours = {kFixedColour, kKinematicColour};
  const int first = 2;
  if (result.by_speed)
    for (int k = 0; k < kLevels; ++k) result.colours.push_back(speed_colour(k / double(kLevels - 1)));
  else
    result.colours.insert(result.colours.end(), kPalette.begin(), kPalette.end());
  const int shades = static_cast<int>(result.colours.size());
  for (int k = 0; k < 5; ++k)
    result.colours.push_back(lighter(mixed(kPalette[0], kPalette[5], 0.25 * k), 0.08 * (k % 3)));
  std::map<std::string, int> seen;  // groups or materials in order of appearance by body
  std::vector<const PictureItem*> by_body;
  for (const PictureItem& item : view.items) by_body.push_back(&item);
  std::sort(by_body.begin(), by_body.end(), [](auto* a, auto* b) { return a->collider < b->collider; });
  const auto label = [&](const PictureItem& item) -> const std::string& {
    return wanted == PictureColour::Group ? bodies[static_cast<std::size_t>(item.body)].group
                                          : colliders[static_cast<std::size_t>(item.collider)].material;
  };
  for (const PictureItem* item : by_body)
    if (kind_of(*item) == BodyKind::Dynamic) seen.emplace(label(*item), static_cast<int>(seen.size()));

  for (const PictureItem& item : view.items) {
    int number = 0;
    if (kind_of(item) == BodyKind::Kinematic)
      number = 1;
    else if (kind_of(item) == BodyKind::Dynamic && result.by_speed)
      number = first + static_cast<int>(std::lround(speed_of(item) / result.fastest * (kLevels - 1)));
    else if (kind_of(item) == BodyKind::Dynamic && seen.size() > 1)
      number = first + seen[label(item)] % static_cast<int>(kPalette.size());
    else if (kind_of(item) == BodyKind::Dynamic)  // all alike: shades tell neighbours apart
      number = shades + item.body * 7 % 5;
    result.of_item.push_back(number);
  }
  return result;
}

// ---- From the view to SVG ----

class Canvas {
 public:
  Canvas(const PictureView& view, int width) : eye_(view.eye), width_(std::clamp(width, 64, 20000)) {
    const Vec2 size = (view.high - view.low).cwiseMax(1e-9 * (1 + view.high.norm()));
    const double margin = 0.045 * width_;
    // As wide as asked, as high as needed, but never taller than 4:3 upright.
    scale_ = std::min((width_ - 2 * margin) / size.x(), (1.25 * width_ - 2 * margin) / size.y());
    height_ = std::max(scale_ * size.y() + 2 * margin, 0.25 * width_) + footer();
    centre_ = 0.5 * (view.low + view.high);
  }

  double width() const { return width_; }
  double height() const { return height_; }
  double footer() const { return 0.05 * width_; }
  double pixels(double length) const { return scale_ * length; }
  Vec2 place(const Vec2& screen) const {
    return {0.5 * width_ + scale_ * (screen.x() - centre_.x()),
            0.5 * (height_ - footer()) - scale_ * (screen.y() - centre_.y())};
  }
  template <class Points>
  std::string polygon(const Points& corners) const {
    std::string text;
    for (const Vec3& corner : corners) {
      const Vec2 p = place(eye_.project(corner));
      text += fmt::format("{}{:.1f},{:.1f}", text.empty() ? "" : " ", p.x(), p.y());
    }
    return text;
  }

 private:
  Eye eye_;
  double width_, height_ = 0, scale_ = 1;
  Vec2 centre_;
};

std::string definitions(const Colouring& colouring) {
  std::string text = "<defs>\n";
  std::vector<bool> used(colouring.colours.size(), false);
  for (int number : colouring.of_item) used[static_cast<std::size_t>(number)] = true;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (!used[k]) continue;
    const Rgb& c = colouring.colours[k];
    text += fmt::format(
        "<radialGradient id=\"c{}\" cx=\"50%\" cy=\"50%\" r=\"52%\" fx=\"35%\" fy=\"29%\"><stop offset=\"0\" "
        "stop-color=\"{}\"/>"
        "<stop offset=\"0.42\" stop-color=\"{}\"/><stop offset=\"0.85\" stop-color=\"{}\"/><stop offset=\"1\" "
        "stop-color=\"{}\"/>"
        "</radialGradient>\n",
        k, hex_colour(lighter(c, 0.62)), hex_colour(c), hex_colour(darker(c, 0.3)), hex_colour(darker(c, 0.46)));
  }
  text +=
      "<radialGradient id=\"shadow\"><stop offset=\"0\" stop-color=\"#2b3140\" stop-opacity=\"0.5\"/>"
      "<stop offset=\"0.55\" stop-color=\"#2b3140\" stop-opacity=\"0.28\"/>"
      "<stop offset=\"1\" stop-color=\"#2b3140\" stop-opacity=\"0\"/></radialGradient>\n";
  return text + "</defs>\n";
}

// A half-space's surface: brighter the more it looks up, with shadows of the spheres near it.
std::string draw_ground(const Canvas& canvas, const PictureView& view, const PictureGround& ground,
                        std::size_t number) {
  Rgb colour = mixed({222, 222, 220}, {238, 236, 230}, std::max(0.0, ground.normal.z()));
  if (ground.edge_on) colour = darker(colour, 0.1);
  const std::string outline = canvas.polygon(ground.outline);
  std::string text = fmt::format(
      "<polygon points=\"{0}\" fill=\"{1}\" stroke=\"{2}\"/>\n<clipPath id=\"g{3}\"><polygon "
      "points=\"{0}\"/></clipPath>\n"
      "<g clip-path=\"url(#g{3})\">\n",
      outline, hex_colour(colour), hex_colour(darker(colour, 0.12)), number);
  // A disc on the ground is an ellipse on the screen: full width across, foreshortened along the normal.
  const Vec2 along = view.eye.project(ground.normal);
  const double angle = along.norm() > 1e-9 ? std::atan2(-along.x(), along.y()) * -180 / 3.14159265358979 : 0.0;
  const double flat = std::abs(ground.normal.dot(view.eye.sight));
  for (const PictureItem& item : view.items) {
    if (item.facet) continue;
    const double r = item.shape.kind == ShapeKind::Sphere ? item.shape.radius : 0.8 * item.shape.bounding_radius();
    const double height = ground.normal.dot(item.centre() - ground.point);
    const double clearance = std::max(0.0, height - r);
    if (ground.edge_on || ground.normal.z() < 0.5 || height < 0 || clearance > 5 * r) continue;
    const Vec2 p = canvas.place(view.eye.project(item.centre() - height * ground.normal));
    const double spread = 1.25 + 0.15 * clearance / r, size = canvas.pixels(r * spread);
    text += fmt::format(
        "<ellipse cx=\"{0:.1f}\" cy=\"{1:.1f}\" rx=\"{2:.2f}\" ry=\"{3:.2f}\" fill=\"url(#shadow)\" "
        "opacity=\"{4:.2f}\"",
        p.x(), p.y(), size, size * flat, std::exp(-0.6 * clearance / r));
    text += std::abs(angle) > 0.1 ? fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"/>\n", angle, p.x(), p.y())
                                  : std::string("/>\n");
  }
  return text + "</g>\n";
}

// One face that looks at the eye; a smooth one shows no edges.
template <class Corners>
std::string draw_face(const Canvas& canvas, const Eye& eye, const Vec3& outward, const Corners& corners,
                      const Rgb& colour, bool smooth) {
  const Vec3 light = (-0.45 * eye.right + 0.8 * eye.up - 0.5 * eye.sight).normalized();
  const double brightness = outward.dot(light);
  const Rgb fill = brightness > 0.5 ? lighter(colour, 0.7 * (brightness - 0.5))
                                    : darker(colour, std::min(0.5, 0.6 * (0.5 - brightness)));
  return fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", canvas.polygon(corners), hex_colour(fill),
                     hex_colour(smooth ? fill : darker(fill, 0.28)));
}

std::string draw_box(const Canvas& canvas, const Eye& eye, const PictureItem& box, const Rgb& colour) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 along = box.pose.rotation * Vec3::Unit(axis);
    if (std::abs(along.dot(eye.sight)) < 1e-6) continue;
    const bool positive = along.dot(eye.sight) < 0;
    text += draw_face(canvas, eye, positive ? along : Vec3(-along), box_face(box, axis, positive), colour, false);
  }
  return text;
}

std::string draw_solid(const Canvas& canvas, const Eye& eye, const PictureItem& item, const Rgb& colour) {
  const Polyhedron& solid = *item.solid;
  std::string text;
  std::vector<Vec3> corners;
  for (std::size_t f = 0; f < solid.planes.size(); ++f) {
    const Vec3 outward = item.pose.rotation * solid.planes[f].normal;
    if (outward.dot(eye.sight) > -1e-6) continue;
    corners.clear();
    for (std::uint32_t v : solid.face_vertices[f]) corners.push_back(item.pose.to_world(solid.vertices[v]));
    // Facets of what is round show no edges among each other, but its flat ends do.
    text += draw_face(canvas, eye, outward, corners, colour, item.smooth && corners.size() <= 4);
  }
  return text;
}

std::string draw_items(const Canvas& canvas, const PictureView& view, const Colouring& colouring) {
  std::string text = "<g stroke-width=\"0.6\" stroke-linejoin=\"round\">\n";
  for (std::size_t i = 0; i < view.items.size(); ++i) {
    const PictureItem& item = view.items[i];
    const int number = colouring.of_item[i];
    if (item.shape.kind == ShapeKind::Sphere) {
      const Vec2 p = canvas.place(view.eye.project(item.pose.position));
      text += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"url(#c{})\"/>\n", p.x(), p.y(),
                          std::max(0.4, canvas.pixels(item.shape.radius)), number);
    } else {
      const Rgb& colour = colouring.colours[static_cast<std::size_t>(number)];
      text += item.solid ? draw_solid(canvas, view.eye, item, colour) : draw_box(canvas, view.eye, item, colour);
    }
  }
  return text + "</g>\n";
}

std::string draw_thrust(const Canvas& canvas, const Eye& eye, const PictureThrust& thrust) {
  const double dot = 0.004 * canvas.width();
  std::string text = fmt::format("<g class=\"thrust\" stroke=\"#b3261e\" stroke-width=\"{:.1f}\">\n", 0.45 * dot);
  for (const auto& [from, to] : thrust.lines) {
    const Vec2 p = canvas.place(eye.project(from)), q = canvas.place(eye.project(to));
    text +=
        fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", p.x(), p.y(), q.x(), q.y());
  }
  for (const PictureThrust::Mark& mark : thrust.marks) {
    const Vec2 p = canvas.place(eye.project(mark.point));
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>\n", p.x(), p.y(),
                        mark.hinge ? 1.8 * dot : dot, mark.hinge ? "#ffffff" : "#b3261e");
  }
  return text + "</g>\n";
}

std::string draw_caption(const Canvas& canvas, const Colouring& colouring, const std::string& title, double time) {
  const double y = canvas.height() - 0.4 * canvas.footer(), size = 0.017 * canvas.width(), left = 0.03 * canvas.width();
  std::string text = fmt::format(
      "<g font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{:.1f}\" fill=\"#4a505a\">\n"
      "<text x=\"{:.1f}\" y=\"{:.1f}\">{}{}t = {:.4g} s</text>\n",
      size, left, y, xml_escaped(title), title.empty() ? "" : ", ", time);
  if (colouring.by_speed) {
    const double right = canvas.width() - left, bar = 0.2 * canvas.width(), step = bar / kLevels;
    const double x0 = right - bar - 5.2 * size;
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">speed 0</text>\n", x0 - 0.5 * size, y);
    for (int k = 0; k < kLevels; ++k)
      text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                          x0 + k * step, y - 0.75 * size, step + 0.5, 0.8 * size,
                          hex_colour(speed_colour(k / double(kLevels - 1))));
    text +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.3g} m/s</text>\n", x0 + bar + 0.5 * size, y, colouring.fastest);
  }
  return text + "</g>\n";
}

}  // namespace

std::string svg_picture(const RunReader& run, const PictureOptions& options) {
  const RunFrame frame = run.frame(options.frame < 0 ? run.frame_count() - 1 : options.frame);
  const std::vector<RunBody> bodies = run.bodies();
  const std::vector<RunCollider> colliders = run.colliders();
  const PictureView view = arrange_view(bodies, colliders, frame, options.view);
  const Colouring colouring = colour_items(view, bodies, colliders, frame, options.colour);
  const Canvas canvas(view, options.width);

  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf7\"/>\n",
      canvas.width(), canvas.height());
  text += definitions(colouring);
  for (std::size_t i = 0; i < view.grounds.size(); ++i) text += draw_ground(canvas, view, view.grounds[i], i);
  text += draw_items(canvas, view, colouring);
  if (options.thrust)
    text += draw_thrust(canvas, view.eye,
                        arrange_thrust(bodies, run.interfaces(),
                                       run.interfaces(options.frame < 0 ? run.frame_count() - 1 : options.frame)));
  const std::string title = run.scene_title();
  text += draw_caption(canvas, colouring, title.empty() ? run.scene_name() : title, frame.time);
  return text + "</svg>\n";
}

void export_svg(const RunReader& run, const PictureOptions& options, const std::string& file) {
  write_text_file(file, svg_picture(run, options));
}

}  // namespace carom
