// The scenes of examples/, embedded when the program is built (app/embed_templates.cmake).
#pragma once

#include <string>
#include <vector>

namespace carom {

struct SceneTemplate {
  std::string name;  // file name without extension
  std::string text;
};

const std::vector<SceneTemplate>& scene_templates();

}  // namespace carom
