include(${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
foreach(tool OBJDUMP NM READELF) # clang 14's own objdump does not know all of AArch64's extensions
  string(TOLOWER ${tool} name)
  find_program(CMAKE_${tool} aarch64-linux-gnu-${name})
endforeach()
