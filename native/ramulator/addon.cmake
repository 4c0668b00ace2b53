# SPDX-License-Identifier: Apache-2.0
# The addon with Ramulator's channels. RAMULATOR2_DIR is an installation or a built source tree:
# headers under include or src, libramulator beside them or under lib, and the headers of yaml-cpp and
# spdlog under ext as its own build puts them there, else those of the system.
unset(RAMULATOR_HEADERS CACHE)
unset(RAMULATOR_LIBRARY CACHE)
find_path(RAMULATOR_HEADERS dram_controller/plugin.h
  PATHS "${RAMULATOR2_DIR}/include" "${RAMULATOR2_DIR}/src" NO_DEFAULT_PATH)
find_library(RAMULATOR_LIBRARY ramulator
  PATHS "${RAMULATOR2_DIR}/lib" "${RAMULATOR2_DIR}" "${RAMULATOR2_DIR}/build" NO_DEFAULT_PATH)
if(NOT RAMULATOR_HEADERS OR NOT RAMULATOR_LIBRARY)
  message(FATAL_ERROR "RAMULATOR2_DIR is ${RAMULATOR2_DIR}, which has no Ramulator 2.0 "
    "(dram_controller/plugin.h under include or src, and libramulator).")
endif()

file(GLOB RAMULATOR_SOURCES CONFIGURE_DEPENDS "${ROOT}/native/ramulator/*.cc")
neardata_addon(neardata_ramulator ${RAMULATOR_SOURCES})
# Its registry finds parts by inline variables, which have to be one in the addon and the library.
set_target_properties(neardata_ramulator PROPERTIES CXX_VISIBILITY_PRESET default)
target_include_directories(neardata_ramulator SYSTEM PRIVATE "${RAMULATOR_HEADERS}")
target_link_libraries(neardata_ramulator PRIVATE "${RAMULATOR_LIBRARY}")
set(yaml-cpp_target yaml-cpp)
set(spdlog_target spdlog::spdlog_header_only)
foreach(dependency yaml-cpp spdlog)
  if(EXISTS "${RAMULATOR2_DIR}/ext/${dependency}/include")
    target_include_directories(neardata_ramulator SYSTEM PRIVATE
      "${RAMULATOR2_DIR}/ext/${dependency}/include")
  else()
    find_package(${dependency} REQUIRED)
    target_link_libraries(neardata_ramulator PRIVATE ${${dependency}_target})
  endif()
endforeach()
