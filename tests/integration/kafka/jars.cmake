# The brokers of the tests and benchmarks, as pom.xml names them, from Maven.
find_program(MAVEN mvn)
set(kafka_jars ${CMAKE_BINARY_DIR}/tests/kafka/lib)
if(MAVEN)
  add_custom_command(OUTPUT ${kafka_jars}/.complete
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${kafka_jars}
    COMMAND ${MAVEN} -q -B -f ${CMAKE_CURRENT_LIST_DIR}/pom.xml dependency:copy-dependencies
            -DoutputDirectory=${kafka_jars} -DincludeScope=runtime
    COMMAND ${CMAKE_COMMAND} -E touch ${kafka_jars}/.complete
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/pom.xml
    COMMENT "Fetching Kafka's broker" VERBATIM)
  add_custom_target(weir_kafka_jars ALL DEPENDS ${kafka_jars}/.complete)
else()
  message(NOTICE "Maven is missing: the tests with Kafka's brokers cannot run in this build")
endif()
