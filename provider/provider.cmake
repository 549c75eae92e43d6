# What needs OpenSSL: the provider module, the command, the configuration files.
include(${PROJECT_SOURCE_DIR}/cmake/openssl.cmake)
set(HWAEAD_MODULESDIR "${OPENSSL_MODULESDIR}" CACHE PATH "Where libcrypto looks for provider modules")

# ---- The provider module ----------------------------------------------------------------------------------
set(provider_sources provider/provider.c provider/config.c provider/reasons.c provider/selftest.c provider/params.c
  provider/cipher.c provider/cipher_gcm.c provider/gcm_params.c provider/gcm_tls.c
  provider/cipher_siv.c provider/siv_params.c
  provider/rand.c provider/rand_source.c provider/rand_seed.c provider/rand_params.c)
list(TRANSFORM provider_sources PREPEND ${PROJECT_SOURCE_DIR}/)

# hwaead_provider(TARGET [definitions...]): the provider's objects, for the module and for its test variants.
function(hwaead_provider target)
  add_library(${target} OBJECT ${provider_sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/core
    ${PROJECT_SOURCE_DIR}/provider)
  target_include_directories(${target} SYSTEM PRIVATE ${OPENSSL_INCLUDE_DIR})
  target_compile_definitions(${target} PRIVATE ${ARGN})
  target_link_libraries(${target} PRIVATE hwaead_flags hwaead_hardening)
endfunction()

# hwaead_module(TARGET OBJECTS...): a loadable module that exports OSSL_provider_init and nothing else.
function(hwaead_module target)
  set(objects "")
  foreach(o ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:${o}>)
  endforeach()
  add_library(${target} MODULE ${objects})
  target_link_libraries(${target} PRIVATE hwaead_flags hwaead_hardening)
  target_link_options(${target} PRIVATE -Wl,-z,nodelete
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/provider/hwaead.map)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so"
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/provider/hwaead.map)
endfunction()

hwaead_provider(hwaead_provider_objects)
hwaead_module(hwaead_module hwaead_provider_objects hwaead_core)
set_target_properties(hwaead_module PROPERTIES OUTPUT_NAME hwaead)

# ---- The command ------------------------------------------------------------------------------------------
add_executable(hwaead_command tools/hwaead.c tools/random.c)
set_target_properties(hwaead_command PROPERTIES OUTPUT_NAME hwaead)
target_compile_definitions(hwaead_command PRIVATE HWAEAD_TOOL_VERSION="${PROJECT_VERSION}")
target_link_libraries(hwaead_command PRIVATE hwaead_flags hwaead_hardening hwaead_static OpenSSL::Crypto)

# ---- Configuration files ----------------------------------------------------------------------------------
include(${PROJECT_SOURCE_DIR}/conf/conf.cmake)

# ---- Install ----------------------------------------------------------------------------------------------
install(TARGETS hwaead_module LIBRARY DESTINATION ${HWAEAD_MODULESDIR})
install(TARGETS hwaead_command)
