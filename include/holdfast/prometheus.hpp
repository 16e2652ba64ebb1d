//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_PROMETHEUS_HPP
#define HOLDFAST_PROMETHEUS_HPP

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/config.hpp>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <holdfast/client.hpp>

namespace holdfast {

/// The statistics of clients as metrics of Prometheus, for prometheus-cpp. In the CMake target `holdfast::prometheus`,
/// component `prometheus` of the package.
///
/// Each client has the label `client`, whose value is its name in `add()`. Metrics of locks have the label `kind`
/// (@ref lock_kind) and the label `label`, if `config::stats_label` yields one; sums over them are exactly the
/// client's. No lock's name is a label: the number of time series would grow without limit. `docs/monitoring.md` lists
/// the metrics.
///
/// @par Cost
/// A scrape reads the counters of each client, which blocks no operation of the clients, and sends nothing to Redis.
///
/// @par Thread safety
/// Shared objects: safe.
///
/// @par Example
/// @code
/// auto metrics = std::make_shared<holdfast::prometheus_collector>();
/// metrics->add("orders", client);
/// prometheus::Exposer exposer{"127.0.0.1:9100"};
/// exposer.RegisterCollectable(metrics);
/// @endcode
class BOOST_SYMBOL_VISIBLE prometheus_collector final : public prometheus::Collectable {
public:
    /// Adds a client. It must outlive its membership: call `remove()` before you destroy or move it.
    ///
    /// @throws std::invalid_argument if a client of that name was added.
    void add(std::string name, client const& c);

    /// Removes the client of that name, if there is one. A scrape on another thread that reads it has ended when the
    /// function returns. The counters of the client end with it.
    void remove(std::string const& name);

    /// Called by the exposer, on one of its threads.
    std::vector<prometheus::MetricFamily> Collect() const override;

private:
    mutable std::mutex mutex_;
    std::vector<std::pair<std::string, client const*>> clients_;
};

}  // namespace holdfast

#endif
