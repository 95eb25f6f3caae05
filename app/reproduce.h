#pragma once

namespace carom {

// Prints the published figures of one section, or of all (0), beside ours. Exit code 3 when a tolerance is missed.
// tighten: every tolerance is divided by this.
int reproduce(int section, double tighten, bool json);

}  // namespace carom
