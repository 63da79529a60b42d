# The live parts of the program: clock, compute thread and cache without any window, and the window
# itself under a virtual display.

systole_test(live_tests
  SOURCES playback_test.cpp pipeline_test.cpp
  LIBRARIES systole_app
  LABEL unit)
