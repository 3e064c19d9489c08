#include "load/tally.h"

#include <numeric>

namespace serverlab {

std::uint64_t Tally::errors_total() const {
  return std::accumulate(errors.begin(), errors.end(), std::uint64_t{0});
}

std::uint64_t Tally::failed_requests() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < error_classes; ++i) {
    if (is_of_a_request(static_cast<ErrorClass>(i))) sum += errors[i];
  }
  return sum;
}

bool Tally::blank() const {
  return intended == 0 && sent_in_time == 0 && answered == 0 && unanswered == 0 && lost == 0 &&
         bytes_received == 0 && connect.count() == 0 && session.count() == 0 && errors_total() == 0;
}

void Tally::merge(const Tally& other) {
  intended += other.intended;
  sent += other.sent;
  dropped += other.dropped;
  completed += other.completed;
  for (std::size_t i = 0; i < error_classes; ++i) {
    errors[i] += other.errors[i];
    errors_earlier[i] += other.errors_earlier[i];
  }
  unanswered += other.unanswered;
  in_flight_at_end += other.in_flight_at_end;
  latency.merge(other.latency);
  service_time.merge(other.service_time);
  send_lag.merge(other.send_lag);
  connect.merge(other.connect);
  session.merge(other.session);
  for (std::size_t i = 0; i < classes_max; ++i) {
    latency_of_class[i].merge(other.latency_of_class[i]);
  }
  received += other.received;
  answered += other.answered;
  sent_in_time += other.sent_in_time;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  lost += other.lost;
  reopened += other.reopened;
  outage_s += other.outage_s;
  in_flight_by_gauge_s += other.in_flight_by_gauge_s;
  in_flight_by_requests_s += other.in_flight_by_requests_s;
}

void Tally::clear() {
  latency.clear();
  service_time.clear();
  send_lag.clear();
  connect.clear();
  session.clear();
  for (Histogram& of_class : latency_of_class) of_class.clear();
  intended = sent = dropped = completed = unanswered = in_flight_at_end = 0;
  errors.fill(0);
  errors_earlier.fill(0);
  received = answered = sent_in_time = bytes_sent = bytes_received = lost = reopened = 0;
  outage_s = in_flight_by_gauge_s = in_flight_by_requests_s = 0;
}

}  // namespace serverlab
