#include "engine/text/base64_kernel.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weir::text {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// What a symbol adds to its group's three bytes, lying as they will in memory; a table for each of
// the four places. The top bit marks a character that is no symbol.
constexpr std::uint32_t no_symbol = 0x8000'0000;
using Places = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr Places make_places() {
  Places places{};
  for (auto& place : places) place.fill(no_symbol);
  for (std::uint32_t value = 0; value < alphabet.size(); ++value) {
    for (unsigned place = 0; place < 4; ++place) {
      const std::uint32_t bits = value << (18 - place * 6);
      places[place][static_cast<unsigned char>(alphabet[value])] =
          (bits >> 16) | (bits & 0xFF00) | (bits & 0xFF) << 16;
    }
  }
  return places;
}
constexpr Places places = make_places();

std::uint32_t group_at(const char* in) {
  const auto* const at = reinterpret_cast<const unsigned char*>(in);
  return places[0][at[0]] | places[1][at[1]] | places[2][at[2]] | places[3][at[3]];
}

std::uint32_t as_stored(std::uint32_t group) {
  return std::endian::native == std::endian::little ? group : std::byteswap(group);
}

std::size_t decode_by_tables(const char* in, std::size_t groups, char* out) {
  for (std::size_t i = 0; i < groups; ++i, in += 4, out += 3) {
    const std::uint32_t group = group_at(in);
    if ((group & no_symbol) != 0) return i;
    const std::uint32_t stored = as_stored(group);
    std::memcpy(out, &stored, i + 1 < groups ? 4 : 3);  // the fourth byte is written over
  }
  return groups;
}

#if defined(__x86_64__)

// A character is judged by its two halves. Each upper half that symbols have is a class with a bit
// of its own, all others share one. A lower half holds the bits of the classes in which it makes
// no symbol; where it meets the class of its upper half, the character is none.
constexpr std::uint8_t other_class = 0x40;
constexpr std::uint8_t class_of(unsigned upper) {
  return upper >= 2 && upper <= 7 ? static_cast<std::uint8_t>(1u << (upper - 2)) : other_class;
}

struct alignas(16) Halves {
  std::array<std::uint8_t, 16> upper{}, lower{};
  // From a character to its value, by its upper half. The slash differs from the plus, with which
  // it shares the half, and takes the place before.
  std::array<std::int8_t, 16> shift{};
};

constexpr Halves make_halves() {
  Halves halves;
  for (unsigned upper = 0; upper < 16; ++upper) {
    halves.upper[upper] = class_of(upper);
    for (unsigned lower = 0; lower < 16; ++lower) {
      const std::size_t value = alphabet.find(static_cast<char>(upper << 4 | lower));
      if (upper >= 8 || value == std::string_view::npos) {
        halves.lower[lower] |= class_of(upper);
        continue;
      }
      const auto character = static_cast<int>(upper << 4 | lower);
      halves.shift[character == '/' ? 1 : upper] =
          static_cast<std::int8_t>(static_cast<int>(value) - character);
    }
  }
  return halves;
}
constexpr Halves halves = make_halves();

__attribute__((target("avx2"))) __m256i in_both_lanes(const void* sixteen) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(static_cast<const __m128i*>(sixteen)));
}

// Eight groups a round. Stores 32 bytes for 24, so it leaves the last groups to the tables.
__attribute__((target("avx2"))) std::size_t decode_by_vectors(const char* in, std::size_t groups,
                                                              char* out) {
  constexpr std::size_t round = 8, left_over = 3;
  const __m256i upper_classes = in_both_lanes(halves.upper.data());
  const __m256i lower_classes = in_both_lanes(halves.lower.data());
  const __m256i shifts = in_both_lanes(halves.shift.data());
  const __m256i half_mask = _mm256_set1_epi8(0x0F);
  const __m256i slash = _mm256_set1_epi8('/');
  const __m256i pair_weights = _mm256_set1_epi32(0x0140'0140);  // 64 and 1
  const __m256i quad_weights = _mm256_set1_epi32(0x0001'1000);  // 4096 and 1
  // The three bytes of each 32 bits, highest first, moved together within a lane ...
  const __m256i pack = _mm256_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1, 2,
                                        1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m256i join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);  // ... and across the lanes
  std::size_t done = 0;
  for (; done + round + left_over <= groups; done += round, in += round * 4, out += round * 3) {
    const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi32(text, 4), half_mask);
    const __m256i lower = _mm256_and_si256(text, half_mask);
    const __m256i bad = _mm256_and_si256(_mm256_shuffle_epi8(upper_classes, upper),
                                         _mm256_shuffle_epi8(lower_classes, lower));
    if (_mm256_testz_si256(bad, bad) == 0) break;
    const __m256i row = _mm256_add_epi8(upper, _mm256_cmpeq_epi8(text, slash));
    const __m256i values = _mm256_add_epi8(text, _mm256_shuffle_epi8(shifts, row));
    const __m256i pairs = _mm256_maddubs_epi16(values, pair_weights);
    const __m256i quads = _mm256_madd_epi16(pairs, quad_weights);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(quads, pack), join);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
  }
  return done;
}

#endif

}  // namespace

std::size_t decode_base64_groups(const char* in, std::size_t groups, char* out) {
  std::size_t done = 0;
#if defined(__x86_64__)
  static const bool vectors = __builtin_cpu_supports("avx2") != 0;
  if (vectors) done = decode_by_vectors(in, groups, out);
#endif
  return done + decode_by_tables(in + done * 4, groups - done, out + done * 3);
}

}  // namespace weir::text
