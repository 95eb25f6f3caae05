#include "io/rockfall/geojson.h"

#include <fmt/format.h>

#include <cmath>

#include "io/text_file.h"

namespace carom {

namespace {

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void read(const JsonValue& value, std::vector<MapFeature>& out) const {
    const std::string type = type_of(value);
    if (type == "FeatureCollection") {
      const JsonValue* features = value.find("features");
      if (features == nullptr || features->list() == nullptr)
        fail(value, "a FeatureCollection needs a list \"features\"");
      for (const JsonValue& feature : *features->list()) read(feature, out);
    } else if (type == "Feature") {
      const JsonValue* geometry = value.find("geometry");
      if (geometry == nullptr) fail(value, "a Feature needs a \"geometry\"");
      MapFeature feature = geometry_of(*geometry);
      if (const JsonValue* properties = value.find("properties"))
        if (const auto* fields = std::get_if<JsonValue::Fields>(&properties->value)) feature.properties = *fields;
      out.push_back(std::move(feature));
    } else {
      out.push_back(geometry_of(value));
    }
  }

 private:
  [[noreturn]] void fail(const JsonValue& at, const std::string& problem) const {
    throw InputError({file_, at.line, 0, ""}, problem);
  }
  std::string type_of(const JsonValue& value) const {
    const JsonValue* type = value.find("type");
    if (type == nullptr || type->text() == nullptr) fail(value, "not GeoJSON: an object with a \"type\" is due");
    return *type->text();
  }
  Vec2 point(const JsonValue& value) const {
    const auto* xy = value.list();
    if (xy == nullptr || xy->size() < 2 || (*xy)[0].number() == nullptr || (*xy)[1].number() == nullptr)
      fail(value, "a position [x, y] is due");
    return {*(*xy)[0].number(), *(*xy)[1].number()};
  }
  const JsonValue::List& items(const JsonValue& value) const {
    if (value.list() == nullptr) fail(value, "a list is due");
    return *value.list();
  }
  std::vector<Vec2> points(const JsonValue& value, std::size_t least, const char* what) const {
    std::vector<Vec2> out;
    for (const JsonValue& item : items(value)) out.push_back(point(item));
    if (out.size() < least) fail(value, fmt::format("{} needs at least {} positions", what, least));
    return out;
  }
  std::vector<Vec2> ring(const JsonValue& value) const {
    std::vector<Vec2> out = points(value, 4, "a ring of a polygon");
    if (out.front() != out.back()) fail(value, "a ring of a polygon must end where it begins");
    out.pop_back();
    return out;
  }

  MapFeature geometry_of(const JsonValue& value) const {
    const std::string type = type_of(value);
    MapFeature f;
    f.line = value.line;
    const JsonValue* c = value.find("coordinates");
    if (c == nullptr) fail(value, fmt::format("a geometry \"{}\" without \"coordinates\" is not read", type));
    if (type == "Point") {
      f.parts = {{point(*c)}};
    } else if (type == "MultiPoint") {
      f.parts = {points(*c, 1, "a MultiPoint")};
    } else if (type == "LineString") {
      f.kind = GeometryKind::Line;
      f.parts = {points(*c, 2, "a LineString")};
    } else if (type == "MultiLineString") {
      f.kind = GeometryKind::Line;
      for (const JsonValue& line : items(*c)) f.parts.push_back(points(line, 2, "a line"));
    } else if (type == "Polygon") {
      f.kind = GeometryKind::Polygon;
      for (const JsonValue& part : items(*c)) f.parts.push_back(ring(part));
    } else if (type == "MultiPolygon") {
      f.kind = GeometryKind::Polygon;
      for (const JsonValue& polygon : items(*c))
        for (const JsonValue& part : items(polygon)) f.parts.push_back(ring(part));
    } else {
      fail(value, fmt::format("geometry \"{}\" is not read; points, lines and polygons are", type));
    }
    if (f.parts.empty()) fail(value, "the geometry is empty");
    return f;
  }

  const std::string& file_;
};

}  // namespace

const JsonValue* MapFeature::property(const std::string& name) const {
  for (const auto& [key, value] : properties)
    if (key == name) return &value;
  return nullptr;
}

std::vector<MapFeature> parse_geojson(const std::string& text, const std::string& file) {
  std::vector<MapFeature> features;
  Reader(file).read(parse_json(text, file), features);
  if (features.empty()) throw InputError({file, 0, 0, ""}, "has no features");
  return features;
}

std::vector<MapFeature> read_geojson(const std::filesystem::path& file) {
  return parse_geojson(read_text_file(file), file.string());
}

}  // namespace carom
