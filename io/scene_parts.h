// What the parts of the scene reader share; for io/scene*.cpp only.
#pragma once

#include <map>
#include <unordered_map>

#include "io/scene.h"
#include "io/toml_reader.h"

namespace carom {

inline constexpr std::int64_t kMaxSceneBodies = 10'000'000;
inline constexpr double kMaxCoordinate = 1e9;  // m: beyond it a double resolves no better than 1e-7 m

// One [[body]] or [[group]].
struct SceneItem {
  std::string name;
  Place place;
};

// A scene being read.
struct SceneDraft {
  Scene scene;
  std::filesystem::path folder;                          // where files that the scene names are looked up
  const std::vector<Attachment>* attachments = nullptr;  // looked up before the folder
  std::vector<std::string> material_names;               // valid ones, for suggestions
  std::map<std::string, MaterialId> materials;
  std::unordered_map<std::string, Place> names;  // of bodies and groups, with the place that took the name
  std::vector<SceneItem> items;
  std::vector<std::size_t> item_of;         // by body
  std::vector<Vec3> centre;                 // by body: centre of mass in the frame that the scene gave its shapes in
  std::optional<double> overlap_tolerance;  // [run] overlap_tolerance

  const std::optional<Vec3>& planar() const { return scene.world.options().planar; }
};

// The same error, said to be at a place of the scene.
InputError relocated(const InputError& error, const Place& place);

// action(), with InputErrors of the engine and the solvers moved to the place in the scene that caused them.
template <class Action>
auto at_place(const Place& place, Action&& action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw relocated(error, place);
  }
}

// scene_run.cpp: [run], which also creates the world, [gravity], [output]
void read_run(TomlTable& root, SceneDraft& draft);
void read_gravity(TomlTable& root, SceneDraft& draft);
void read_output(TomlTable& root, SceneDraft& draft);

// scene_laws.cpp: [material.*], [[contact_pair]], [impact], [solver]
void read_materials(TomlTable& root, SceneDraft& draft);
void read_contact_pairs(TomlTable& root, SceneDraft& draft);
void read_impact(TomlTable& root, SceneDraft& draft);
ImpactPlan read_impact_plan(TomlTable& root, double& threshold);
std::unique_ptr<ImpactLaw> make_law(const ImpactPlan& plan);  // nullptr: Newton's
void read_solver(TomlTable& root, SceneDraft& draft);
MaterialId find_material(const TomlValue& name, const SceneDraft& draft);
PairLaw read_law(TomlTable& table, const PairLaw& fallback);

// scene_shapes.cpp: what [[body]] and [[group]] have in common
std::vector<ColliderSpec> read_colliders(TomlTable& body, const SceneDraft& draft);
ColliderSpec read_collider(TomlTable& table, const std::string& shape, MaterialId material, const SceneDraft& draft);
std::string read_shape_name(const TomlValue& value);
MaterialId read_material(TomlTable& table, const SceneDraft& draft);
std::optional<Quat> read_rotation(TomlTable& table);  // orientation, euler or rotation
void read_mass(TomlTable& table, BodySpec& spec);     // density, mass, inertia
Mat3 read_inertia(const TomlValue& value);
Vec3 read_position(const TomlValue& value);

// scene_bodies.cpp, scene_motion.cpp, scene_groups.cpp
void read_bodies(TomlTable& root, SceneDraft& draft);
void read_loads(TomlTable& root, SceneDraft& draft);
Motion read_motion(TomlTable motion, SceneDraft& draft);
// The text of a file that the scene names, kept with the scene. What came with a run file wins over the disk.
const std::string& attached_text(const TomlValue& name, SceneDraft& draft);
void read_groups(TomlTable& root, SceneDraft& draft);
// scene_masonry.cpp: groups whose generator builds a structure of blocks
const std::vector<std::string>& masonry_generators();
void read_masonry(TomlTable& group, const std::string& generator, const std::string& name, std::size_t index,
                  SceneDraft& draft);
void start_item(const std::string& name, const Place& name_place, const Place& place, SceneDraft& draft);
void add_body(BodySpec spec, SceneDraft& draft);  // to the item started last

BodyId find_body(const TomlValue& name, const SceneDraft& draft);
void read_joints(TomlTable& root, SceneDraft& draft);  // scene_joints.cpp

// scene_interfaces.cpp: [[interface]], laws of single pairs of bodies, and [interfaces], what is watched
void read_interfaces(TomlTable& root, SceneDraft& draft);

// scene_checks.cpp: what can be judged only when all bodies are there
void check_bodies_exist(const Place& root, const SceneDraft& draft);
void check_overlaps(SceneDraft& draft);

}  // namespace carom
