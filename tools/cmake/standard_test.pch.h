#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cmake/standard.pch.h"
