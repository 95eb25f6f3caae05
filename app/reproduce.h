#pragma once

namespace carom {

// Prints the published figures of one section, or of all (0), beside ours. Exit code 3 when a tolerance is missed.
int reproduce(int section, bool json);

}  // namespace carom
