# The configuration alone: what weirctl needs of this room.
weir_room(weir_config
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/engine_config.cpp
          ${CMAKE_CURRENT_LIST_DIR}/engine_config_ignored.cpp
          ${CMAKE_CURRENT_LIST_DIR}/engine_config_keys.cpp
          ${CMAKE_CURRENT_LIST_DIR}/engine_config_syntax.cpp
  USES weir_api)
