// GeoJSON (RFC 7946, with map coordinates instead of degrees): points, lines and polygons with their properties.
#pragma once

#include <filesystem>

#include "base/types.h"
#include "io/rockfall/json_reader.h"

namespace carom {

enum class GeometryKind : std::uint8_t { Point, Line, Polygon };

struct MapFeature {
  GeometryKind kind = GeometryKind::Point;
  std::vector<std::vector<Vec2>> parts;  // Point: one part; Line: one part per line; Polygon: its rings, even-odd
  std::vector<std::pair<std::string, JsonValue>> properties;
  int line = 0;  // in the file

  const JsonValue* property(const std::string& name) const;
};

// The features of a Feature, a FeatureCollection or a bare geometry; Multi... ones are one feature of several parts.
// Coordinates are in metres of the map.
std::vector<MapFeature> read_geojson(const std::filesystem::path& file);
std::vector<MapFeature> parse_geojson(const std::string& text, const std::string& file);

}  // namespace carom
