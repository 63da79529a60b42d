# The readers and writers with their tests once more, under AddressSanitizer and UBSan: bytes that nobody
# checked come in there. In the same build, so nothing else is compiled twice; on request alone:
# ninja sanitized_io_tests. The preset asan has the other layers too.
add_library(sanitizers INTERFACE)
target_compile_options(sanitizers INTERFACE -w ${SYSTOLE_SANITIZERS})
target_link_options(sanitizers INTERFACE ${SYSTOLE_SANITIZERS})

get_target_property(sources systole_io SOURCES)
get_target_property(libraries systole_io LINK_LIBRARIES)
add_library(sanitized_io STATIC EXCLUDE_FROM_ALL ${sources})
target_link_libraries(sanitized_io PUBLIC ${libraries} sanitizers)
systole_precompile(sanitized_io base)

get_target_property(tests io_tests SOURCES)
get_target_property(definitions io_tests COMPILE_DEFINITIONS)
get_target_property(libraries io_tests LINK_LIBRARIES)
list(REMOVE_ITEM libraries systole_io systole_warnings)
add_executable(sanitized_io_tests EXCLUDE_FROM_ALL ${tests})
target_compile_definitions(sanitized_io_tests PRIVATE ${definitions})
target_link_libraries(sanitized_io_tests PRIVATE sanitized_io ${libraries})
systole_precompile(sanitized_io_tests tests)

# The window, its panels and tools under AddressSanitizer, for tools/random_input.py: what is called may have
# gone already. The rest of the program is the release build's.
if(SYSTOLE_VIEWER)
  add_executable(sanitized_viewer EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/app/main.cpp)
  foreach(room window panels tools live estimation registration bias segmentation surface landmarks tasks)
    systole_rooms(sanitized_viewer ${PROJECT_SOURCE_DIR}/app/${room})
  endforeach()
  target_compile_options(sanitized_viewer PRIVATE -w -O1 -g1 -fsanitize=address -fno-omit-frame-pointer)
  target_link_options(sanitized_viewer PRIVATE -fsanitize=address)
  target_link_libraries(sanitized_viewer PRIVATE systole_app systole_render systole_imgui CLI11::CLI11 fmt::fmt
    nlohmann_json::nlohmann_json Qt6::Widgets Qt6::OpenGLWidgets OpenGL::EGL ${CMAKE_DL_LIBS})
  systole_precompile(sanitized_viewer window)
  set_target_properties(sanitized_viewer PROPERTIES ENABLE_EXPORTS ON)
endif()
