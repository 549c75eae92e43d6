# Finds libcrypto's headers and asks the installed OpenSSL for its module folder.
# The module itself links no libcrypto; only tests and bench do, through OpenSSL::Crypto and OpenSSL::SSL.
find_package(OpenSSL 3.0 REQUIRED)
find_package(PkgConfig QUIET)
set(OPENSSL_MODULESDIR "")
if(PKG_CONFIG_FOUND)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --variable=modulesdir libcrypto
    OUTPUT_VARIABLE OPENSSL_MODULESDIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT OPENSSL_MODULESDIR)
  find_program(OPENSSL_PROGRAM openssl)
  if(OPENSSL_PROGRAM)
    execute_process(COMMAND ${OPENSSL_PROGRAM} version -m OUTPUT_VARIABLE m ERROR_QUIET)
    string(REGEX REPLACE ".*MODULESDIR: \"([^\"]*)\".*" "\\1" OPENSSL_MODULESDIR "${m}")
  endif()
endif()
if(NOT OPENSSL_MODULESDIR)
  set(OPENSSL_MODULESDIR ${CMAKE_INSTALL_FULL_LIBDIR}/ossl-modules)
endif()
