#include "tests/repositories/flowfile/test_support.h"
