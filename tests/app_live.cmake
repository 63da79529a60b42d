# The live parts of the program that know no window: clock, compute thread, cache.
systole_test(live_tests
  SOURCES app/session/loader_test.cpp app/session/playback_test.cpp app/estimation/field_cache_test.cpp app/estimation/pipeline_test.cpp app/estimation/pipeline_messages_test.cpp app/features/motion/chosen_devices_test.cpp app/task/backend_test.cpp
    app/estimation/pipeline_tuning_test.cpp app/estimation/cycle_queue_test.cpp app/estimation/window_queue_test.cpp app/estimation/window_pipeline_test.cpp app/features/registration/iteration_store_test.cpp
    app/features/bias/bias_run_test.cpp app/features/registration/registration_run_test.cpp app/features/registration/picture_test.cpp app/tuning/autotuner_test.cpp
  LIBRARIES systole_bench_library nlohmann_json::nlohmann_json
  LABEL unit)
set(live_gpu_sources app/estimation/pipeline_gpu_test.cpp app/tuning/autotuner_gpu_test.cpp
  app/task/tasks_gpu_test.cpp ${task_case_sources})
if(SYSTOLE_HAVE_CUDA)
  list(APPEND live_gpu_sources app/features/cardiac/live_strain_gpu_test.cpp app/features/cardiac/cardiac_tool_gpu_test.cpp app/features/surface/surface_run_gpu_test.cpp app/features/laboratory/spgemm_product_gpu_test.cpp)
endif()
if(SYSTOLE_HAVE_CUDA AND SYSTOLE_VIEWER)
  list(APPEND live_gpu_sources support/ball_sequence.cpp app/features/cardiac/cardiac_view_gpu_test.cpp)
endif()
systole_test(live_gpu_tests SOURCES ${live_gpu_sources} LIBRARIES systole_test_program systole_app LABEL gpu)
set_target_properties(live_gpu_tests PROPERTIES ENABLE_EXPORTS ON)
