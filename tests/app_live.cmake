# The live parts of the program that know no window: clock, compute thread, cache.
systole_test(live_tests
  SOURCES playback_test.cpp field_cache_test.cpp pipeline_test.cpp device_fallback_test.cpp
    pipeline_tuning_test.cpp autotuner_test.cpp
  LIBRARIES systole_app
  LABEL unit)
systole_test(live_gpu_tests SOURCES pipeline_gpu_test.cpp autotuner_gpu_test.cpp LIBRARIES systole_app LABEL gpu)
