// [system] and [[contact]]: a system in generalized coordinates from the library of engine/systems/, or an impact
// stated by masses, directions and velocities.
#pragma once

#include <memory>

#include "engine/lagrangian.h"
#include "io/toml_options.h"

namespace carom {

// One number of one or all contacts, set from outside the file (a scan).
struct ContactSetting {
  std::string contact;  // name, number from 1, or "*" for all
  std::string key;      // restitution, stiffness, ...
  double value = 0;
  bool relative = false;  // times the value that the first contact has; "*" then leaves the first alone
  Place place;            // to complain about
};

struct SystemSection {
  std::shared_ptr<const LagrangianSystem> system;
  std::string type;
  std::vector<double> preload;        // N, per contact
  std::vector<Place> contact_places;  // where a contact's numbers stand
};

SystemSection read_system(TomlTable& root, std::span<const ContactSetting> settings = {});

// The index of a contact given by name, or by its number from 1. Throws InputError with the nearest name.
int find_contact(const LagrangianSystem& system, const std::string& word, const Place& place);

// The error of an impact law or check moved to the contact it names ("contact 3", from 0), or else to `place`.
InputError moved_to_contact(const InputError& error, const SystemSection& section, std::span<const int> closed,
                            const Place& place);

}  // namespace carom
