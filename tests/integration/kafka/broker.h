#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace weir::kafka_testing {

// A single-node KRaft cluster on ports of the loopback that were free, with its data in a folder.
// It ends with the test program, however that ends; so make, start and restart it in one thread
// that lives on, such as the main one.
class Broker {
 public:
  // Makes the folder's content; nothing runs yet. `properties` go to server.properties besides.
  explicit Broker(std::filesystem::path folder,
                  const std::map<std::string, std::string>& properties = {});
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  std::string address() const;  // "127.0.0.1:PORT", the same after a restart
  // Another way in, before the first start: HOST is what the broker tells its clients. Gives
  // HOST:PORT.
  std::string add_listener(const std::string& name, const std::string& protocol,
                           const std::string& host = "127.0.0.1");
  // For the next start.
  void set_properties(const std::map<std::string, std::string>& properties);
  // In the place of those that make a broker small and soon there, for what is started from now on.
  void set_java_options(std::vector<std::string> options) { java_options_ = std::move(options); }
  const std::filesystem::path& folder() const { return folder_; }

  // Starting several side by side: begin all, then wait for each. `arguments` go to Kafka's
  // StorageTool besides.
  void begin_format(const std::vector<std::string>& arguments = {});
  void finish_format();
  void begin_start();
  // Throws where it does not answer within a minute, with what it said.
  void finish_start();

  void start() {
    begin_start();
    finish_start();
  }
  void stop();               // orderly
  void kill();               // kill -9: data in files stays
  void pause(bool stopped);  // SIGSTOP, SIGCONT: there, and answers nothing
  bool runs() const { return process_ > 0; }
  std::string log() const;

 private:
  pid_t run_java(const std::vector<std::string>& arguments, const char* output) const;

  const std::filesystem::path folder_;
  std::vector<std::string> java_options_ = {"-Xmx384m", "-XX:+UseSerialGC",
                                            "-XX:TieredStopAtLevel=1"};
  std::map<std::string, std::string> properties_;
  int port_ = 0;
  int controller_port_ = 0;
  pid_t process_ = -1;
};

// Ports of 127.0.0.1 that nobody listens on.
std::vector<int> free_ports(int count);

}  // namespace weir::kafka_testing
