# The configuration files: one set for use out of the build tree, one for the installed module.
#
# hwaead_conf(TEMPLATE OUTPUT MODULE PATH [RANDOM]): MODULE is the module's absolute path, PATH the folder that the
# comments in the file tell a person to look in. RANDOM is the way in which programs get their random bytes from hwaead,
# too: `random` by the name CTR-DRBG, or `drbg` or `random-provider` by the section in RANDOM.cnf.in.
set(HWAEAD_CONF_SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(hwaead_conf_ways random drbg random-provider)
foreach(part keys drbg random-provider)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HWAEAD_CONF_SOURCE_DIR}/${part}.cnf.in)
endforeach()

function(hwaead_conf template output module path)
  file(READ ${HWAEAD_CONF_SOURCE_DIR}/keys.cnf.in keys)
  set(HWAEAD_CONF_MODULE "${module}")
  set(HWAEAD_CONF_PATH "${path}")
  get_filename_component(HWAEAD_CONF_NAME ${output} NAME)
  set(HWAEAD_CONF_RANDOM "#replace_ctr_drbg = 0")
  set(HWAEAD_CONF_RANDOM_LINE "")
  set(HWAEAD_CONF_RANDOM_SECTION "")
  set(HWAEAD_CONF_DIAGNOSTICS "config_diagnostics = 1\n")
  if("${ARGN}" STREQUAL "random")
    set(HWAEAD_CONF_RANDOM "replace_ctr_drbg = 1")
  elseif(NOT "${ARGN}" STREQUAL "")
    set(HWAEAD_CONF_RANDOM_LINE "random = hwaead_random\n")
    file(READ ${HWAEAD_CONF_SOURCE_DIR}/${ARGN}.cnf.in HWAEAD_CONF_RANDOM_SECTION)
    string(PREPEND HWAEAD_CONF_RANDOM_SECTION "\n")
  endif()
  if("${ARGN}" STREQUAL "random-provider")
    set(HWAEAD_CONF_DIAGNOSTICS "") # an openssl command before 3.5 would stop at the key that it does not know
  endif()
  string(CONFIGURE "${keys}" HWAEAD_CONF_KEYS @ONLY)
  configure_file(${HWAEAD_CONF_SOURCE_DIR}/${template} ${output} @ONLY)
endfunction()

# In place: build/<preset>/openssl-hwaead.cnf uses build/<preset>/hwaead.so.
hwaead_conf(openssl-hwaead.cnf.in ${PROJECT_BINARY_DIR}/openssl-hwaead.cnf ${PROJECT_BINARY_DIR}/hwaead.so
  ${PROJECT_BINARY_DIR})
foreach(way ${hwaead_conf_ways})
  hwaead_conf(openssl-hwaead.cnf.in ${PROJECT_BINARY_DIR}/openssl-hwaead-${way}.cnf ${PROJECT_BINARY_DIR}/hwaead.so
    ${PROJECT_BINARY_DIR} ${way})
endforeach()

# Installed: files that name the installed module. Nothing is written under /etc; a person does that, or leaves it.
if(IS_ABSOLUTE "${HWAEAD_MODULESDIR}")
  set(installed_module ${HWAEAD_MODULESDIR}/hwaead.so)
else()
  set(installed_module ${CMAKE_INSTALL_PREFIX}/${HWAEAD_MODULESDIR}/hwaead.so)
endif()
set(installed_conf ${CMAKE_INSTALL_FULL_DATADIR}/hwaead)
foreach(name openssl-hwaead.cnf hwaead.cnf examples/nginx.conf examples/nginx.service.conf examples/curl.md)
  hwaead_conf(${name}.in ${PROJECT_BINARY_DIR}/conf/${name} ${installed_module} ${installed_conf})
endforeach()
foreach(name openssl-hwaead hwaead)
  foreach(way ${hwaead_conf_ways})
    hwaead_conf(${name}.cnf.in ${PROJECT_BINARY_DIR}/conf/${name}-${way}.cnf ${installed_module} ${installed_conf} ${way})
  endforeach()
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/conf/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hwaead)
