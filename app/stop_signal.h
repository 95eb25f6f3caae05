#pragma once

namespace carom {

// From now on SIGINT, SIGTERM and SIGHUP ask for a stop after the present step; a second one ends the program at once.
void catch_stop_signals();

int stop_signal();  // the signal that asked, 0 when none did

}  // namespace carom
