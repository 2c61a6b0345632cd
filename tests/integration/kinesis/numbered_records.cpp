#include "tests/integration/kinesis/numbered_records.h"

#include <charconv>
#include <stdexcept>

namespace weir::kinesis_testing {

namespace fs = std::filesystem;

std::string to_text(const RecordName& name) {
  return std::to_string(name.lane) + "/" + std::to_string(name.number);
}

RecordName parse_record_name(std::string_view content) {
  RecordName name;
  const char* const end = content.data() + content.size();
  const auto lane = std::from_chars(content.data(), end, name.lane);
  if (lane.ec == std::errc{} && lane.ptr != end && *lane.ptr == '/') {
    const auto number = std::from_chars(lane.ptr + 1, end, name.number);
    if (number.ec == std::errc{} && (number.ptr == end || *number.ptr == ' ')) return name;
  }
  throw std::runtime_error("no numbered record: " + std::string(content.substr(0, 100)));
}

NumberedWriter::NumberedWriter(KinesisControl& control, std::string stream, std::size_t size_bytes)
    : control_(control), stream_(std::move(stream)), size_bytes_(size_bytes) {
  for (const Shard& shard : control_.open_shards(stream_)) {
    hash_keys_.push_back(shard.first_hash_key);
  }
  sent_.resize(hash_keys_.size());
  last_sequence_numbers_.resize(hash_keys_.size());
}

void NumberedWriter::put(int per_lane) {
  std::map<int, int> counts;
  for (std::size_t lane = 0; lane < hash_keys_.size(); ++lane) {
    counts[static_cast<int>(lane)] = per_lane;
  }
  put_numbers(counts);
}

void NumberedWriter::put_on(int lane, int count) {
  put_numbers({{lane, count}});
}

// Counted only once the stream has them; what it is not known to have is not asked for.
void NumberedWriter::put_numbers(const std::map<int, int>& count_of_lane) {
  constexpr std::size_t kMostRecords = 500;
  const std::lock_guard one_call(put_mutex_);
  LaneCounts next = sent();
  std::vector<NewRecord> records;
  std::vector<std::size_t> lanes;  // of each
  const auto flush = [&] {
    if (records.empty()) return;
    const std::vector<Placed> placed = control_.put(stream_, records);
    const std::lock_guard lock(mutex_);
    sent_ = next;
    for (std::size_t index = 0; index < placed.size(); ++index) {
      last_sequence_numbers_[lanes[index]] = placed[index].sequence_number;
    }
    records.clear();
    lanes.clear();
  };
  for (const auto& [lane, count] : count_of_lane) {
    for (int index = 0; index < count; ++index) {
      const std::size_t place = static_cast<std::size_t>(lane);
      std::string data = to_text({.lane = lane, .number = next[place]++});
      if (data.size() < size_bytes_) data.append(1, ' ').resize(size_bytes_, 'x');
      records.push_back({.data = std::move(data),
                         .partition_key = "lane-" + std::to_string(lane),
                         .hash_key = hash_keys_[place]});
      lanes.push_back(place);
      if (records.size() == kMostRecords) flush();
    }
  }
  flush();
}

void NumberedWriter::start(int per_lane, std::chrono::milliseconds every) {
  thread_ = std::jthread([this, per_lane, every](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      put(per_lane);
      std::this_thread::sleep_for(every);
    }
  });
}

void NumberedWriter::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

LaneCounts NumberedWriter::sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

int NumberedWriter::total() const {
  int total = 0;
  for (const int count : sent()) total += count;
  return total;
}

std::string NumberedWriter::last_sequence_number(int lane) const {
  const std::lock_guard lock(mutex_);
  return last_sequence_numbers_.at(static_cast<std::size_t>(lane));
}

void Sink::refresh() {
  if (!fs::exists(folder_)) return;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string uuid = entry.path().filename();
    if (uuid.starts_with('.') || read_.contains(uuid)) continue;  // not written to its end yet
    std::vector<RecordName>& names = read_[uuid];
    for (const std::string& line : tools::testing::lines_of(tools::testing::read_file(entry))) {
      names.push_back(parse_record_name(line));
    }
    names_.insert(names.begin(), names.end());
  }
}

bool Sink::holds(const LaneCounts& sent) {
  return missing(sent).empty();
}

std::size_t Sink::files() {
  refresh();
  return read_.size();
}

std::vector<RecordName> Sink::missing(const LaneCounts& sent) {
  refresh();
  std::vector<RecordName> missing;
  for (std::size_t lane = 0; lane < sent.size(); ++lane) {
    for (int number = 0; number < sent[lane]; ++number) {
      const RecordName name{.lane = static_cast<int>(lane), .number = number};
      if (!names_.contains(name)) missing.push_back(name);
    }
  }
  return missing;
}

const std::vector<RecordName>* Sink::find(const std::string& uuid) {
  refresh();
  const auto found = read_.find(uuid);
  return found == read_.end() ? nullptr : &found->second;
}

}  // namespace weir::kinesis_testing
