#include "processors/kinesis/bridge/direction.h"

#include <unistd.h>

#include <cerrno>

namespace weir::bridge {
namespace {

constexpr int kPiecesATurn = 16;

}  // namespace

void Direction::move() {
  for (int piece = 0; piece < kPiecesATurn; ++piece) {
    if (begin_ == end_ && !read_piece()) return;
    if (!write_rest()) return;
  }
}

bool Direction::read_piece() {
  ssize_t got;
  do {
    got = ::read(source_, piece_, kPieceBytes);
  } while (got < 0 && errno == EINTR);
  if (got == 0) {
    state_ = State::ended;
  } else if (got < 0) {
    state_ = errno == EAGAIN ? State::wait_source : State::broken;
  }
  begin_ = 0;
  end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  return got > 0;
}

bool Direction::write_rest() {
  while (begin_ < end_) {
    const ssize_t put = ::write(sink_, piece_ + begin_, end_ - begin_);
    if (put >= 0) {
      begin_ += static_cast<std::size_t>(put);
    } else if (errno != EINTR) {
      state_ = errno == EAGAIN ? State::wait_sink : State::broken;
      return false;
    }
  }
  state_ = State::wait_source;
  return true;
}

}  // namespace weir::bridge
