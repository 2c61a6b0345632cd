// Boost.Asio's implementation, compiled once for the whole program.
#include <boost/asio/impl/src.hpp>
