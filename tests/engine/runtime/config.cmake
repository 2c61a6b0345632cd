weir_test(engine_config_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/engine_config_test.cpp
  USES weir_config
  LABELS unit)
