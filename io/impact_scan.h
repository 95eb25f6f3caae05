// Scans: one impact computed over a grid of parameters.
#pragma once

#include "base/parallel.h"
#include "io/impact_file.h"

namespace carom {

struct ScanAxis {
  std::string name;            // as given
  std::vector<double> values;  // in the order given
};

// "eta=1:5:9" (9 values from 1 to 5), "stiffness_ratio=0.01:100:log:41" (evenly on a logarithmic scale) or a list,
// "e=0,0.5,1". What may be named: any number of the file by its path (system.angle, system.mass.2, impact.e_n.2.1,
// elements counted from 1), a number of a contact (contact.2.stiffness, contact.1-2.stiffness), a parameter of the
// system or an option of the law by its bare name, and
//
//     e, eta, mu, e_t      restitution, exponent, friction, tangential_restitution of all contacts
//     stiffness_ratio      K of every contact but the first over that of the first
//     mass_ratio           mass of every body but the first over that of the first, where [system] has mass = [...]
ScanAxis parse_axis(const std::string& text);

struct ImpactScan {
  std::string name;                      // of the file
  std::string system, law;               // types
  std::vector<ScanAxis> axes;            // the last one runs fastest
  std::vector<std::string> coordinates;  // names
  std::vector<std::string> contacts;     // names of those that take part
  std::vector<std::string> rows;         // of impulses: contact, then "n", "t", "t1" or "t2"
  // Per point:
  std::vector<double> velocity;  // after, one per coordinate
  std::vector<double> impulse;   // N s, one per row
  std::vector<double> ker, dispersion, energy_change, energy_growth, kinematic_violation, kinetic_violation, duration;
  std::vector<int> events;
  std::vector<std::uint8_t> status;      // ImpactStatus
  std::vector<std::uint8_t> consistent;  // 1 unless energy, impenetrability or cones are violated beyond noise

  std::size_t points() const { return status.size(); }
  double axis_value(std::size_t point, std::size_t axis) const;
};

// text: the impact file; law: its name, or "" for the file's own; options: of that law, over those of the file. The
// bits do not depend on the number of threads. Throws InputError naming the point when the file does not accept one.
ImpactScan scan_impact(const std::string& text, const std::string& file_name, const std::string& law,
                       const OptionValues& options, const std::vector<ScanAxis>& axes, Threads threads);

struct ScanSummary {
  std::int64_t failed = 0;        // points whose law came to no end
  std::int64_t inconsistent = 0;  // points that violate energy, impenetrability or cones by more than noise
  double ker_min = 0, ker_max = 0, dispersion_min = 0, dispersion_max = 0;
};
ScanSummary summarize(const ImpactScan& scan);

// By the file's ending: .csv (one row per point) or .h5 (arrays shaped like the grid; docs/file_formats.md).
void write_scan(const std::string& file, const ImpactScan& scan);
void check_scan_ending(const std::string& file);  // throws InputError unless one of these

}  // namespace carom
