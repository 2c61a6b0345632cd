# The local Kinesis and DynamoDB, by npm, into the build directory.
find_program(NPM npm)
set(kinesis_services ${CMAKE_BINARY_DIR}/kinesis-services)
if(NPM)
  add_custom_command(OUTPUT ${kinesis_services}/.complete
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${kinesis_services}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${kinesis_services}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/package.json
            ${CMAKE_CURRENT_SOURCE_DIR}/package-lock.json ${kinesis_services}/
    COMMAND ${CMAKE_COMMAND} -E chdir ${kinesis_services} ${NPM} ci --silent --ignore-scripts
    COMMAND ${CMAKE_COMMAND} -E touch ${kinesis_services}/.complete
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/package.json ${CMAKE_CURRENT_SOURCE_DIR}/package-lock.json
    COMMENT "Fetching the local services of the Kinesis tests" VERBATIM)
  add_custom_target(weir_kinesis_local_services ALL DEPENDS ${kinesis_services}/.complete)
endif()
