// Impact files: one multiple impact in TOML, docs/impact_laws.md ("On the command line") describes every key.
//
//     [system]                     # what is struck: a system of the library, or type = "explicit"
//     [[contact]]                  # numbers of single contacts, by name
//     [impact]                     # law and its options; [impact.LAW] has those of another law
//
// The sections of a scene that runs the same system ([run], [solver], [output]) may stand in the file too.
#pragma once

#include <filesystem>
#include <map>

#include "engine/impact/registry.h"
#include "engine/system_impact.h"
#include "io/system_section.h"

namespace carom {

struct ImpactFile {
  std::string name;   // file name without folder and extension
  std::string title;  // [impact] title, or ""
  SystemSection section;
  SystemImpact impact;
  std::string law;                              // name in the registry
  std::map<std::string, OptionValues> options;  // by law
  Place place;                                  // of [impact]
};

// Names of laws and of their presets; the entry that a name belongs to, nullptr when there is none.
std::vector<std::string> law_names();
const ImpactLawInfo* find_law(const std::string& name);

// Each throws InputError with file, line, column and, for an unknown key, the nearest valid one.
ImpactFile read_impact_file(const std::filesystem::path& file);
ImpactFile parse_impact_file(const std::string& text, const std::string& file_name);

// From a tree whose numbers may have been changed since it was parsed.
ImpactFile build_impact(const TomlNode& tree, const std::string& file_name,
                        std::span<const ContactSetting> settings = {});

// What an outcome may be off by and still count as consistent. Laws that integrate (lzb) are as exact as their
// tolerance, 1e-8 of the fastest approach unless told otherwise, so velocities and impulses are measured by what there
// is of them.
struct ImpactNoise {
  double growth = 1e-10;  // of the kinetic energy
  double velocity = 0;    // m/s: 1e-8 of the fastest approach
  double impulse = 0;     // N s: 1e-8 of the largest impulse
  bool covers(const ImpactReport& report) const;
};
ImpactNoise noise_of(const SystemImpact& impact, const ImpactOutcome& outcome);

// The outcome under a law, complaints of the law moved to the place in the file that caused them.
ImpactOutcome strike(const ImpactFile& file, ImpactLaw& law, const MomentObserver& observer = {});
std::unique_ptr<ImpactLaw> make_law_of(const ImpactFile& file, const std::string& law);

}  // namespace carom
