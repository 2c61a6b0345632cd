#pragma once

#include <cstddef>

namespace weir::bridge {

// One direction of the relay: moves bytes from a source to a sink, neither of which it owns and
// both of which do not block. Holds one piece of them at most: what the sink does not take stays
// in the source, so the writer behind it waits.
//
// Measured: read and write of pieces of 64 KB take less time than splice between a pipe and a
// Unix socket, which queues each page of the pipe by itself.
class Direction {
 public:
  enum class State {
    wait_source,  // call `move` when the source can be read
    wait_sink,    // call `move` when the sink can be written
    ended,        // the source came to its end, and all was delivered
    broken,       // the other side of the source or of the sink is gone
  };

  Direction(int source, int sink) : source_(source), sink_(sink) {}

  State state() const { return state_; }
  // Moves what goes without waiting, up to some pieces, so that the other direction gets its turn.
  void move();

 private:
  static constexpr std::size_t kPieceBytes = 64 << 10;
  // False where it has to wait or cannot go on, which `state_` tells.
  bool read_piece();
  bool write_rest();

  const int source_;
  const int sink_;
  State state_ = State::wait_source;
  std::size_t begin_ = 0, end_ = 0;  // what is read and not written yet
  char piece_[kPieceBytes];
};

}  // namespace weir::bridge
