// The parts of a run file that are written once: scene, bodies, colliders, materials.
#pragma once

#include "io/hdf5.h"
#include "io/run_reader.h"
#include "io/scene.h"

namespace carom {

// What every run file begins with.
void write_scene_head(h5::File& file, const std::string& name, const std::string& title, const std::string& text,
                      std::int64_t frame_every);
void write_statics(h5::File& file, const Scene& scene);

// Each throws InputError when datasets are missing or disagree in size.
std::vector<RunBody> read_bodies(const h5::File& file);
std::vector<RunCollider> read_colliders(const h5::File& file, std::size_t bodies);
std::vector<Attachment> read_attachments(const h5::File& file);

// io/run_surfaces.cpp: triangles and heights; nothing is written, and nothing read, where there are none
void write_surfaces(h5::File& file, const Colliders& colliders);
void read_surfaces(const h5::File& file, std::vector<RunCollider>& colliders);
bool same_surfaces(const std::vector<RunCollider>& kept, const Colliders& colliders);

// io/run_structure.cpp; nothing is written, and nothing read, where there are none
void write_joints(h5::File& file, const World& world);
void write_interfaces(h5::File& file, const World& world);
std::vector<RunJoint> read_joints(const h5::File& file, std::size_t bodies);
std::vector<RunInterface> read_interfaces(const h5::File& file, std::size_t bodies);
CollapseRecord read_collapse(const h5::File& file, std::size_t bodies, std::size_t interfaces);

}  // namespace carom
