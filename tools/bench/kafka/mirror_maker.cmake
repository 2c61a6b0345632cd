# MirrorMaker 2, which the benchmark of Kafka runs beside the mirror, as pom.xml names it, from
# Maven. Nothing else needs it, so it is fetched where it is asked for alone.
find_program(MAVEN mvn)
set(mirror_maker_jars ${CMAKE_BINARY_DIR}/tools/bench/mirror_maker)
if(MAVEN)
  add_custom_command(OUTPUT ${mirror_maker_jars}/.complete
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${mirror_maker_jars}
    COMMAND ${MAVEN} -q -B -f ${CMAKE_CURRENT_LIST_DIR}/pom.xml dependency:copy-dependencies
            -DoutputDirectory=${mirror_maker_jars} -DincludeScope=runtime
    COMMAND ${CMAKE_COMMAND} -E touch ${mirror_maker_jars}/.complete
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/pom.xml
    COMMENT "Fetching MirrorMaker 2" VERBATIM)
  add_custom_target(weir_mirror_maker DEPENDS ${mirror_maker_jars}/.complete)
endif()
