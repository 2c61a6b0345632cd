# The KCL and what it needs, as pom.xml names it, from Maven.
find_program(MAVEN mvn)
set(jars ${CMAKE_BINARY_DIR}/bin/kinesis/lib)
if(MAVEN)
  add_custom_command(OUTPUT ${jars}/.complete
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${jars}
    COMMAND ${MAVEN} -q -B -f ${CMAKE_CURRENT_SOURCE_DIR}/pom.xml dependency:copy-dependencies
            -DoutputDirectory=${jars} -DincludeScope=runtime
    COMMAND ${CMAKE_COMMAND} -E touch ${jars}/.complete
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/pom.xml
    COMMENT "Fetching the Kinesis Client Library" VERBATIM)
  add_custom_target(weir_kinesis_jars ALL DEPENDS ${jars}/.complete)
else()
  message(NOTICE "Maven is missing: ConsumeKinesis will be invalid in this build")
endif()
