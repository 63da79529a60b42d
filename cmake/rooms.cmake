# The sources of a library are the rooms (folders) that it is made of: a new file is built without a
# line in any list.

# systole_rooms(TARGET ROOM...): adds every *.cpp of these folders, and their *.cu with CUDA or their
# *_none.cpp without it. Folders inside a room are rooms of their own.
function(systole_rooms target)
  foreach(room ${ARGN})
    cmake_path(ABSOLUTE_PATH room NORMALIZE)
    string(REGEX REPLACE "/$" "" room ${room})
    file(GLOB sources CONFIGURE_DEPENDS ${room}/*.cpp)
    if(SYSTOLE_HAVE_CUDA)
      file(GLOB kernels CONFIGURE_DEPENDS ${room}/*.cu)
      list(FILTER sources EXCLUDE REGEX "_none\\.cpp$")
      list(APPEND sources ${kernels})
    endif()
    target_sources(${target} PRIVATE ${sources})
  endforeach()
endfunction()

# systole_without(TARGET FILE...): takes files of the target's folder out again.
function(systole_without target)
  get_target_property(sources ${target} SOURCES)
  foreach(file ${ARGN})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()
