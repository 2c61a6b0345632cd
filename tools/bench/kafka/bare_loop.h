#pragma once

namespace weir::bench {

// The loop that users of librdkafka write first: consumes and produces, and gives no guarantee.
// The arguments are
//   kafka-bare-loop SOURCE-BROKERS TARGET-BROKERS SOURCE-TOPIC TARGET-TOPIC GROUP COMPRESSION
// True where they are: this process is to be the loop.
bool is_kafka_bare_loop(int argc, char** argv);
// Goes on until SIGTERM ends the process.
int kafka_bare_loop(char** argv);

}  // namespace weir::bench
